"""Modules for both sides of the marketplace's wall: they use the standard library, Django and the log."""
