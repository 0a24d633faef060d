"""Delivery of events: the interface of transports, the three there are, and the sweep."""
