"""Verdicts that need no model: where all vectors are kept, a verdict is a look-up and a product.

The vectors are the rival's own, and so is the arithmetic: the rival's process would answer the same. So the
process that stores a query answers it at once, and nobody waits for a queue.
"""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

import numpy as np

from scoring.models import RegisteredRival, RivalQuery, Verdict
from scoring.models.embeddings import Space, Vector
from scoring.rivals import Picture, UnreadablePicture, cosines
from scoring.rivals.cue_prompts import prompt_without_model
from scoring.services.embedding import find_kept, key_of_prompt
from scoring.services.verdict_making import VERDICTS, as_rivals_see, make_verdict

# Where a verdict says on what it was computed.
DEVICE = "kept vectors"


def answer_by_kept_vectors(
    rival_queries: Sequence[RivalQuery], rival: RegisteredRival, *, now: datetime
) -> set[RivalQuery]:
    """Store the verdicts about those queries for which every vector is kept, and return these queries."""
    space = rival.space
    if space is None or not space.model or not rival.keeps_vectors:
        return set()
    made = [_verdict(one, rival, space, now=now) for one in rival_queries]
    verdicts = [verdict for verdict in made if verdict is not None]
    if verdicts:
        Verdict.objects.bulk_create(verdicts)
    for verdict in verdicts:
        verdict.rival_query.take_verdict(verdict)
        VERDICTS.take(verdict.latency_ms / 1000, "at_once")
    return {verdict.rival_query for verdict in verdicts}


def _verdict(
    rival_query: RivalQuery, rival: RegisteredRival, space: Space, *, now: datetime
) -> Verdict | None:
    began = time.perf_counter()
    prompt = prompt_without_model(rival.kind, rival.options, rival_query.text)
    scores = _scores(rival_query, rival, space, prompt=prompt)
    if scores is None:
        return None
    return make_verdict(
        rival_query,
        rival,
        model=space.model,
        weights_sha256=space.weights_sha256,
        preprocessing=space.preprocessing,
        device=DEVICE,
        prompt=prompt,
        scores=scores,
        waited=timedelta(seconds=time.perf_counter() - began),
        now=now,
    )


def _scores(
    rival_query: RivalQuery, rival: RegisteredRival, space: Space, *, prompt: str
) -> list[float] | None:
    text = key_of_prompt(prompt)
    pictures = [_key_of(as_rivals_see(one), rival) for one in rival_query.pictures]
    texts = find_kept(space, Vector.Of.PROMPT, [text])
    if not texts:
        return None
    try:
        found = find_kept(space, Vector.Of.PICTURE, pictures)
    except UnreadablePicture:
        return None  # the rival's own process says what is wrong
    if any(key not in found for key in pictures):
        return None
    return cosines(texts[text], np.stack([found[key] for key in pictures]))


def _key_of(picture: Picture, rival: RegisteredRival) -> str:
    """Return what the model's `key_of` says of the picture."""
    if rival.kind == RegisteredRival.Kind.CAPTION:
        return sha256(picture.caption.encode()).hexdigest()
    return picture.sha256
