"""Copies of everything that must not be lost: both databases, the pictures, the keys of the embedded form."""
