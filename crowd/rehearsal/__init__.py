"""Rehearsals: a batch played before its launch, on a private copy, with simulated workers."""
