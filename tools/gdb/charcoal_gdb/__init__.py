"""See ../charcoal.py."""
