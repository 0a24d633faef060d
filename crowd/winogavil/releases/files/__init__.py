"""A release's folder, and files that researchers upload."""
