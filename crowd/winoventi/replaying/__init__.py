"""Replay of an exception procedure that was recorded elsewhere, through the services of live work."""
