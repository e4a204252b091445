"""Policies applied to stored records, promotion of observations, the audit log."""
