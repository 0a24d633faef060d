"""How well texts fit pictures, by any model that can say so. Vectors that are kept are not computed again."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from scoring import rivals
from scoring.models import RegisteredRival
from scoring.services.embedding import locate, picture_vectors, prompt_vectors
from scoring.services.model_loading import with_space

# A text as the model reads it, and the pictures that it is scored against.
Asked = tuple[str, Sequence[rivals.Picture]]


def score_texts(rival: RegisteredRival, model: rivals.Scorer, asked: Sequence[Asked]) -> list[list[float]]:
    """Scores of each text against its pictures, in their order. Raises UnreadablePicture for a picture."""
    if isinstance(model, rivals.DualEncoder):
        return _by_vectors(rival, model, asked)
    pictures = iter(locate([picture for _, shown in asked for picture in shown]))
    pairs = [(text, next(pictures)) for text, shown in asked for _ in shown]
    return _divide(model.score_pairs(pairs), asked)


def _by_vectors(
    rival: RegisteredRival, model: rivals.DualEncoder, asked: Sequence[Asked]
) -> list[list[float]]:
    """One pass of the text model over all texts; most vectors of pictures exist already."""
    loaded = with_space(rival, model)
    texts = prompt_vectors(loaded, [text for text, _ in asked])
    shown = picture_vectors(loaded, [picture for _, pictures in asked for picture in pictures])
    counts = [len(pictures) for _, pictures in asked]
    return _divide(rivals.cosines(np.repeat(texts, counts, axis=0), shown), asked)


def compare_sides(
    rival: RegisteredRival, model: rivals.DualEncoder, asked: Sequence[Sequence[str | rivals.Picture]]
) -> list[list[float]]:
    """Cosines of the first of each with the others. A text is given as the model reads it.

    Raises UnreadablePicture for a picture.
    """
    loaded = with_space(rival, model)
    sides = [side for some in asked for side in some]
    texts = [side for side in sides if isinstance(side, str)]
    pictures = [side for side in sides if not isinstance(side, str)]
    of_texts = iter(prompt_vectors(loaded, texts) if texts else ())
    of_pictures = iter(picture_vectors(loaded, pictures) if pictures else ())
    vectors = iter([next(of_texts if isinstance(side, str) else of_pictures) for side in sides])
    rows: list[rivals.Vectors] = [np.stack([next(vectors) for _ in some]) for some in asked]
    return [rivals.cosines(row[0], row[1:]) for row in rows]


def _divide(scores: Sequence[float], asked: Sequence[Asked]) -> list[list[float]]:
    bounds = pairwise(accumulate((len(pictures) for _, pictures in asked), initial=0))
    return [list(scores[start:end]) for start, end in bounds]
