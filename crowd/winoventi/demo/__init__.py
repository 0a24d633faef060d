"""The exception procedure: all five steps over a few nouns, and human performance."""
