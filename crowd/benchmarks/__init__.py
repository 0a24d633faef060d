"""Benchmarks: one task on the items of a release, on which models stand beside people."""
