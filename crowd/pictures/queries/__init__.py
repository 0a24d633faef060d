"""Queries about the pool as a whole."""
