"""Configuration files of hosts: what we add to them and remove again."""
