"""Rival models: plain values in, scores out. torch is imported here and nowhere else."""

from scoring.rivals.interface import Picture, Prediction, Rival
from scoring.rivals.registry import get, names

__all__ = ["Picture", "Prediction", "Rival", "get", "names"]
