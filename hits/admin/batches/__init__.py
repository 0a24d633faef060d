"""A batch from draft to export: the guide, the launch page, the live view, and what steers it."""
