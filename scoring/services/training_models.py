"""Models for training: copies whose weights may change, and classifiers that begin with nothing."""

from dataclasses import replace

from scoring import rivals
from scoring.models import RegisteredRival
from scoring.rivals.masked_training import TrainableMaskedModel, TrainingPlan
from scoring.rivals.pair_classifier import PairClassifier
from scoring.services.model_loading import spec_of

__all__ = ["PairClassifier", "TrainableMaskedModel", "TrainingPlan", "load_trainable"]


def load_trainable(rival: RegisteredRival) -> TrainableMaskedModel:
    """Load a masked model once more, in the precision in which it can learn.

    Raises CrowdError if its weights are missing or changed, or if it is no masked model.
    """
    if rival.kind != RegisteredRival.Kind.MASKED:
        raise rivals.NotLoadable(f"{rival} fills no gaps; choose a masked language model.")
    spec = spec_of(rival)
    return TrainableMaskedModel(replace(spec, options={**spec.options, "dtype": "float32"}))
