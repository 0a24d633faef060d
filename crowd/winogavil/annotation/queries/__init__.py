"""What the annotations of a study come to."""
