"""The challenge set: two prompts a pair, as rows, files and statistics."""
