"""Figures that players are shown of themselves and of each other."""
