"""Bytes that somebody sent: told apart, made harmless, drawn small. Nothing here knows a database."""
