"""Spymasters' submitted words become associations that people solve, and the solving becomes scores."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from fractions import Fraction

import structlog
from django.db import transaction
from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet

from crowd.pictures.services.picture_states import lock_pictures
from crowd.winogavil import domain
from crowd.winogavil.models import Association, PictureSet, Place
from crowd.winogavil.services.assignment_picture_sets import picture_set_of_slot, picture_sets_of
from crowd.winogavil.services.withdrawal import pull_or_restore
from hits import families
from hits.review.services.reviewing import mark_judged
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.answers_needed import make_item
from scoring.models import RivalQuery
from scoring.services.score_recording import NewScore, record_scores

AT_ONCE = 500
# How long the bonuses for an author's other words wait for a pulled word, which may come back.
PATIENCE = timedelta(days=7)
AWAY = Q(item__association__final_at=None, item__pulled_at__isnull=False)
log = structlog.get_logger()


def make_associations(*, now: datetime) -> int:
    """Make an association of each submitted cue; its item is then asked of everybody but its author."""
    made = 0
    cues = RivalQuery.objects.filter(assignment=OuterRef("pk"), item=None)
    while some := list(_handed_in().filter(Exists(cues)).order_by("pk")[:AT_ONCE]):
        made += sum(_make_of(assignment, now=now) for assignment in some)
    return made


def credit_authors(*, now: datetime) -> int:
    """Credit authors with the scores of associations that are final and have the rival's verdict."""
    credited = 0
    while some := _credit_some(now=now):
        credited += some
    _judge(_waiting_in_vain(now=now), now=now)
    return credited


def next_credit(*, now: datetime) -> datetime | None:
    """Instant when the next assignment is judged without its last open words, pulled for PATIENCE by then."""
    away = _untold().filter(AWAY, assignment__in=_handed_in())
    open_ones = _untold().exclude(AWAY).filter(assignment=OuterRef("assignment"))
    works = away.filter(~Exists(open_ones)).values("assignment").annotate(last=Max("item__pulled_at"))
    first: datetime | None = works.aggregate(first=Min("last"))["first"]
    return first and first + PATIENCE


def scores_as_author(association: Association) -> dict[str, Fraction]:
    """The author's scores by measure; empty until the association is final and the rival has answered."""
    fool, solved = association.fool_score, association.solvers_mean
    if fool is None or solved is None:
        return {}
    return {domain.FOOL: Fraction(fool, 100), domain.SOLVABLE: solved}


def _credit_some(*, now: datetime) -> int:
    """Record scores and judge their authors in one transaction: nothing is credited without judging."""
    with transaction.atomic():
        keys = list(_ready().order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
        if not keys:
            return 0
        _lock_authors(keys)
        # Associations that lost an answer since are left; taking one out now waits for us, and reopens it.
        rows = _ready().filter(pk__in=keys).select_related("item__rival_query").order_by("pk")
        some = list(rows.select_for_update(of=("self",), no_key=True))
        authors = {one.pk: _author_of(one) for one in some}
        record_scores(
            (
                NewScore(assignment_id=author, item_id=one.item_id, measure=measure, value=value)
                for one in some
                if (author := authors[one.pk])
                for measure, value in scores_as_author(one).items()
            ),
            now=now,
        )
        Association.objects.filter(pk__in=authors).update(told_at=now)
        _judge({author for author in authors.values() if author}, now=now)
    return len(some)


def _ready() -> QuerySet[Association]:
    return Association.objects.filter(final_at__isnull=False, asked_at__isnull=False, told_at=None)


def _lock_authors(associations: Sequence[int]) -> None:
    """Lock the authors' assignments, which come before the associations in the common lock order."""
    made = RivalQuery.objects.filter(item__association__in=associations).values("assignment")
    works = Assignment.objects.filter(pk__in=made).order_by("pk").select_for_update(no_key=True)
    list(works.values_list("pk", flat=True))


def _waiting_in_vain(*, now: datetime) -> set[int]:
    """Assignments with open words that were pulled PATIENCE ago, and are no longer waited for."""
    away = RivalQuery.objects.filter(AWAY, assignment=OuterRef("pk"), item__pulled_at__lte=now - PATIENCE)
    return set(_handed_in().filter(Exists(away)).values_list("pk", flat=True))


def _untold() -> QuerySet[RivalQuery]:
    return RivalQuery.objects.filter(item__association__told_at=None)


def _handed_in() -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        status__in=Assignment.COUNTING,
        judged_at=None,
        answer__isnull=False,
        kept_out=False,
        hit__batch__task__in=domain.CREATING,
    ).select_related("hit__batch", "account")


def _make_of(assignment: Assignment, *, now: datetime) -> int:
    with transaction.atomic():
        picture_sets = picture_sets_of(assignment)
        # Taking a picture away, or the work out of the data, came before this or finds what is made here.
        lock_pictures(
            {place.picture_id for picture_set in picture_sets for place in picture_set.places.all()}
        )
        if not _handed_in().filter(pk=assignment.pk).select_for_update(of=("self",), no_key=True):
            return 0
        waiting = RivalQuery.objects.filter(assignment=assignment, item=None).order_by("slot")
        rival_queries = list(waiting.select_for_update(of=("self",), no_key=True))
        for rival_query in rival_queries:
            _make(rival_query, assignment, picture_set=picture_set_of_slot(picture_sets, rival_query.slot))
        # A picture may have been removed while the words were invented.
        pull_or_restore(Item.objects.filter(rival_query__in=rival_queries), now=now)
    log.info("association.made", assignment=str(assignment.public_id), count=len(rival_queries))
    return len(rival_queries)


def _make(rival_query: RivalQuery, assignment: Assignment, *, picture_set: PictureSet) -> None:
    places = picture_set.places.all()
    rival_query.item = make_item(
        study=assignment.hit.batch.study,
        task=domain.SOLVE,
        author_id=assignment.worker_id,
        answers_needed=domain.SOLVERS_WANTED,
    )
    rival_query.save(update_fields=["item"])
    association = Association.objects.create(
        item=rival_query.item,
        source=_source_of(assignment),
        picture_set=picture_set,
        set_key=domain.set_key(place.picture.key for place in places),
        cue=rival_query.text,
    )
    Place.objects.bulk_create(
        Place(
            association=association,
            picture=place.picture,
            label=place.picture.concept,
            position=position,
            chosen=position in rival_query.chosen,
        )
        for position, place in enumerate(places)
    )


def _source_of(assignment: Assignment) -> Association.Source:
    if families.is_test(assignment.hit.batch.task):
        return Association.Source.TEST
    return Association.Source.PLAYER if assignment.account.can.are_players else Association.Source.WORKER


def _author_of(association: Association) -> int | None:
    """Id of the assignment that made the association; None if none did."""
    rival_query = getattr(association.item, "rival_query", None)
    return rival_query.assignment_id if rival_query else None


def _judge(assignments: set[int], *, now: datetime) -> None:
    """Mark assignments judged once none of their words is open, so that their bonuses can be read.

    A word that stays pulled delays the others no longer than PATIENCE.
    """
    untold = _untold().filter(assignment=OuterRef("pk")).exclude(AWAY, item__pulled_at__lte=now - PATIENCE)
    for assignment in Assignment.objects.filter(~Exists(untold), pk__in=assignments).order_by("pk"):
        mark_judged(assignment=assignment, now=now)
