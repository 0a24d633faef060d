"""Replay of associations and solutions that were recorded elsewhere, through the services of live work."""
