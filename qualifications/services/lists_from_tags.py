"""A small association list from the tags of pictures, for installations that have no other."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from hashlib import sha256

from django.db import transaction

from hits.core.errors import RuleBroken
from qualifications.domain.association_files import LONGEST_WORD, Answer, fold
from qualifications.models import SwowEdge, SwowList
from qualifications.services.graph_storage import Store

Status = SwowList.Status


def list_from_tags(
    *, name: str, tags: Mapping[str, Collection[str]], language: str = "en", now: datetime
) -> SwowList:
    """Return the list of these tags, an existing or a new one; concept and tag are cues for one another.

    Raises RuleBroken if no tag differs from its concept, or if another list has the name.
    """
    answers = sorted(_answers(tags))
    if not answers:
        raise RuleBroken("swow.no_tags", "No concept has a tag that differs from its name.")
    digest = sha256(json.dumps(answers).encode()).hexdigest()
    with transaction.atomic():
        here = SwowList.objects.filter(name=name).exclude(status=Status.LEAVING).first()
        if here is not None and (here.sha256 != digest or not here.is_ready):
            raise RuleBroken(
                "swow.name_taken", f"There is a list named {name} already. Give this one another name."
            )
        return here or _make(name, answers, digest=digest, language=language, now=now)


def _answers(tags: Mapping[str, Collection[str]]) -> set[Answer]:
    pairs = {(fold(concept), fold(tag)) for concept, some in tags.items() for tag in some}
    fit = [
        pair for pair in pairs if pair[0] != pair[1] and all(0 < len(word) <= LONGEST_WORD for word in pair)
    ]
    return {Answer(*pair, 1, 0) for one, other in fit for pair in ((one, other), (other, one))}


def _make(name: str, answers: list[Answer], *, digest: str, language: str, now: datetime) -> SwowList:
    """Write the list and its answers; the caller holds the transaction."""
    swow = SwowList.objects.create(
        name=name,
        language=language,
        kind=SwowList.Kind.TAGS,
        sha256=digest,
        status=Status.READY,
        rows=len(answers),
        started_at=now,
        imported_at=now,
    )
    Store(swow).add(answers)
    swow.words_count = swow.words.count()
    swow.cues_count = swow.words.filter(counted_total__gt=0).count()
    swow.edges_count = SwowEdge.objects.filter(cue__list=swow).count()
    swow.save(update_fields=["words_count", "cues_count", "edges_count"])
    return swow
