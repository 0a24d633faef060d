"""Caption matching: who can tell which of two captions of the same words belongs to which image?"""
