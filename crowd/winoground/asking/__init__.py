"""The pages on which people say whether a caption matches an image."""
