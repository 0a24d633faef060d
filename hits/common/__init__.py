"""What both sides of the marketplace's wall share: standard library and Django only."""
