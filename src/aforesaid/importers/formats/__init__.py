"""What people have already, one file a format: values of a foreign file in, turns and claims out. Nothing is stored."""
