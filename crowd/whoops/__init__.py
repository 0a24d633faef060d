"""Weird images: designers make them, people say what is wrong with them, and models are asked the same."""
