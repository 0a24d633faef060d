"""The pages of a batch from draft to export: the guide, the launch page, the live view, and steering."""
