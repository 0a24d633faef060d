"""What both sides of the marketplace's wall share: the standard library, Django and the log only."""
