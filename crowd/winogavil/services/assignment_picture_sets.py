"""Which pictures a word of a work is about: one set for all its words, and in a test one for each."""

from collections.abc import Sequence

from django.db.models import Prefetch

from crowd.winogavil.models.picture_sets import Board, BoardPlace
from hits.work.models.assignments import Assignment
from hits.work.services.leasing import items_served


def boards_of(assignment: Assignment) -> list[Board]:
    """In the order of the page, with their pictures; also what was given back since."""
    items = items_served(assignment)
    places = Prefetch("places", BoardPlace.objects.select_related("picture"))
    rows = Board.objects.filter(item__in=items).select_related("item").prefetch_related(places)
    found = {board.item_id: board for board in rows}
    return [found[item.pk] for item in items]


def board_of_slot(boards: Sequence[Board], slot: int) -> Board:
    return boards[slot - 1] if len(boards) > 1 else boards[0]
