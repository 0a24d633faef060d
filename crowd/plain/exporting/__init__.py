"""Rows and answers as files."""
