"""Rival models: plain values in, scores out. torch is imported here and nowhere else."""

from scoring.rivals.interface import (
    LoadedModel,
    NotNumbers,
    Picture,
    Prediction,
    Rival,
    Spec,
    UnreadablePicture,
    Vectors,
    scores,
)
from scoring.rivals.registry import load, load_rival
from scoring.rivals.weights import WeightsChanged, WeightsMissing, digest

__all__ = [
    "LoadedModel",
    "NotNumbers",
    "Picture",
    "Prediction",
    "Rival",
    "Spec",
    "UnreadablePicture",
    "Vectors",
    "WeightsChanged",
    "WeightsMissing",
    "digest",
    "load",
    "load_rival",
    "scores",
]
