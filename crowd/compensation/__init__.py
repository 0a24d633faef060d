"""A bonus to collect: the work of a HIT that pays a bonus which no assignment can carry."""
