"""A bonus to collect: the work of a HIT that pays what no assignment can carry."""
