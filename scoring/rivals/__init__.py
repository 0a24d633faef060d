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
from scoring.rivals.registry import NotInstalled, load, load_rival, refuse_without_libraries
from scoring.rivals.weights import WeightsChanged, WeightsMissing, digest

__all__ = [
    "LoadedModel",
    "NotInstalled",
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
    "refuse_without_libraries",
    "scores",
]
