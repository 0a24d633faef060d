"""Caption matching: two images, two captions of the same words, and who can tell which belongs to which."""
