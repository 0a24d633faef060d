"""The special words of the valid pairs by their part of speech."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from crowd.winoventi.domain import EXCEPTION, GENERIC
from crowd.winoventi.models import Premise, Project, WordTag, valid_pairs
from crowd.winoventi.models.model_runs import ModelRun


@dataclass(frozen=True, kw_only=True)
class PartCount:
    """How many special words have one part of speech, in all sentences and in those of each kind."""

    part: str
    words: int
    generic: int
    exception: int
    corrected: int


@dataclass(frozen=True, kw_only=True)
class PartCounts:
    """The counts of a project, the commonest part first, and how far its tagger is."""

    parts: Sequence[PartCount]
    # The tagger with its versions; empty where it has told nothing yet.
    tagger: str
    run: ModelRun | None
    # Valid pairs whose sentence was recorded without a bracket.
    without_words: int = 0

    @property
    def words(self) -> int:
        return sum(one.words for one in self.parts)


def counted_tags(project: Project) -> QuerySet[WordTag]:
    """The tags that count: of valid pairs, by the project's current tagger."""
    valid = Q(premise__project=project, premise__state=Premise.State.VALID)
    return WordTag.objects.filter(valid, rival=project.tagger_id)


def part_counts(project: Project) -> PartCounts:
    if project.tagger_id is None:
        return PartCounts(parts=[], tagger="", run=None)
    tags = counted_tags(project).order_by()
    rows: Any = tags.values("part").annotate(
        words=Count("pk"),
        generic=Count("pk", filter=Q(kind=GENERIC)),
        exception=Count("pk", filter=Q(kind=EXCEPTION)),
        corrected=Count("pk", filter=Q(corrected_at__isnull=False)),
    )
    parts = [PartCount(**row) for row in rows.order_by(F("words").desc(), "part")]
    newest = tags.select_related("rival").order_by("-pk").first()
    return PartCounts(
        parts=parts,
        tagger=newest.tagger if newest else "",
        run=_runs(project).first(),
        without_words=valid_pairs(project).exclude(Premise.HAS_BRACKET).count(),
    )


def failed_to_tag(project: Project) -> bool:
    """Whether the project's tagger could not tell a part of speech that it was asked for."""
    return _runs(project).filter(failed__gt=0).exists()


def _runs(project: Project) -> QuerySet[ModelRun]:
    purpose = ModelRun.Purpose.TAGGING
    return ModelRun.objects.filter(project=project, rival=project.tagger_id, purpose=purpose)
