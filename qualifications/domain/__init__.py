"""The rules of this room in plain Python."""
