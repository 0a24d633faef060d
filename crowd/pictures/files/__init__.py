"""Bytes of uploaded files: told apart, made harmless, drawn small. Nothing here knows a database."""
