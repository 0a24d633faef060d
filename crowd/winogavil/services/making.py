"""What spymasters handed in becomes associations that people solve, and the solving becomes their scores."""

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from crowd.winogavil import domain
from crowd.winogavil.models import Association, Board, BoardPlace, Place
from crowd.winogavil.services.pulling import pull_or_restore
from hits.models import Account, Assignment, Item
from hits.services.reviewing import mark_judged
from scoring.models import Riddle
from scoring.services.judging import NewScore, record_scores

AT_ONCE = 500
SOURCES = {Account.Kind.WEB: Association.Source.PLAYER}
log = structlog.get_logger()


def make_associations(*, now: datetime) -> int:
    """One of each cue that was handed in: its item is asked of everybody but its author from now on."""
    made = 0
    cues = Riddle.objects.filter(assignment=OuterRef("pk"), item=None)
    while some := list(_handed_in().filter(Exists(cues)).order_by("pk")[:AT_ONCE]):
        made += sum(_make_of(assignment, now=now) for assignment in some)
    return made


def credit_authors(*, now: datetime) -> int:
    """What became final and what the rival has said since are the scores of whoever made the association."""
    ready = Association.objects.filter(
        final_at__isnull=False, asked_at__isnull=False, told_at=None
    ).select_related("item__riddle")
    credited = 0
    while some := list(ready.order_by("pk")[:AT_ONCE]):
        with transaction.atomic():
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
        credited += len(some)
    return credited


def scores_as_author(association: Association) -> dict[str, Fraction]:
    """By measure; empty before it is final and the rival has answered."""
    fool, solved = association.fool_score, association.solvers_mean
    if fool is None or solved is None:
        return {}
    return {domain.FOOL: Fraction(fool, 100), domain.SOLVABLE: solved}


def _handed_in() -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        status__in=(Assignment.Status.SUBMITTED, Assignment.Status.APPROVED),
        judged_at=None,
        answer__isnull=False,
        kept_out=False,
        hit__batch__task=domain.CREATE,
    ).select_related("hit__batch", "account")


def _make_of(assignment: Assignment, *, now: datetime) -> int:
    with transaction.atomic():
        waiting = Riddle.objects.filter(assignment=assignment, item=None).order_by("slot")
        riddles = list(waiting.select_for_update(of=("self",), no_key=True))
        board = Board.objects.get(item__leases__assignment=assignment)
        places = list(board.places.select_related("picture"))
        for riddle in riddles:
            _make(riddle, assignment, board=board, places=places)
        # A picture may have been removed while the words were invented.
        pull_or_restore(Item.objects.filter(riddle__in=riddles), now=now)
    log.info("association.made", assignment=str(assignment.public_id), count=len(riddles))
    return len(riddles)


def _make(riddle: Riddle, assignment: Assignment, *, board: Board, places: Sequence[BoardPlace]) -> None:
    riddle.item = Item.objects.create(
        study=assignment.hit.batch.study,
        task=domain.SOLVE,
        author_id=assignment.worker_id,
        wanted=domain.SOLVERS_WANTED,
    )
    riddle.save(update_fields=["item"])
    association = Association.objects.create(
        item=riddle.item,
        source=SOURCES.get(Account.Kind(assignment.account.kind), Association.Source.WORKER),
        board=board,
        set_key=domain.set_key(place.picture.key for place in places),
        cue=riddle.text,
    )
    Place.objects.bulk_create(
        Place(
            association=association,
            picture=place.picture,
            label=place.picture.concept,
            position=position,
            chosen=position in riddle.chosen,
        )
        for position, place in enumerate(places)
    )


def _author_of(association: Association) -> int | None:
    """The assignment that made it."""
    riddle = getattr(association.item, "riddle", None)
    return riddle.assignment_id if riddle else None


def _judge(assignments: set[int], *, now: datetime) -> None:
    """Once nothing of a spymaster's work is open any more, its bonuses can be read."""
    untold = Riddle.objects.filter(assignment=OuterRef("pk"), item__association__told_at=None)
    for assignment in Assignment.objects.filter(~Exists(untold), pk__in=assignments).order_by("pk"):
        mark_judged(assignment=assignment, now=now)
