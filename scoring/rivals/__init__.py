"""Rival models: plain values in, scores out. torch is imported here and nowhere else."""

from scoring.rivals.interface import (
    DualEncoder,
    LoadedModel,
    NotLoadable,
    NotNumbers,
    Pair,
    Picture,
    Prediction,
    Scorer,
    Speaker,
    Spec,
    UnreadablePicture,
    Vectors,
    cosines,
)
from scoring.rivals.registry import NotInstalled, load, load_scorer, refuse_without_libraries
from scoring.rivals.weights import WeightsChanged, WeightsMissing, digest

__all__ = [
    "DualEncoder",
    "LoadedModel",
    "NotInstalled",
    "NotLoadable",
    "NotNumbers",
    "Pair",
    "Picture",
    "Prediction",
    "Scorer",
    "Speaker",
    "Spec",
    "UnreadablePicture",
    "Vectors",
    "WeightsChanged",
    "WeightsMissing",
    "cosines",
    "digest",
    "load",
    "load_scorer",
    "refuse_without_libraries",
]
