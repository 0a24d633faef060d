"""Attacks that a hostile person would try, against every page, file and door at once."""
