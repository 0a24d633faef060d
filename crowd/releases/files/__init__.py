"""The folder of a release's files."""
