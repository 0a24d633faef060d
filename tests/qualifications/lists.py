"""Association lists that are ready, made of a few rows."""

from collections.abc import Iterable
from itertools import count
from typing import Any

from qualifications.domain.association_files import Answer, fold
from qualifications.models import SwowEdge, SwowList
from qualifications.services.graph_storage import Store
from tests.factories import NOW
from tests.qualifications.files import Row

_numbers = count(1)


def make_list(answers: Iterable[Row] = (), **changes: Any) -> SwowList:
    number = next(_numbers)
    values: dict[str, Any] = {
        "name": f"list-{number}",
        "kind": "r123",
        "status": "ready",
        "sha256": f"{number:064x}",
        "started_at": NOW,
        "imported_at": NOW,
    }
    swow = SwowList.objects.create(**{**values, **changes})
    Store(swow).add([Answer(fold(cue), fold(response), *numbers) for cue, response, *numbers in answers])
    return swow


def edges_of(swow: SwowList) -> dict[tuple[str, str], int]:
    rows = SwowEdge.objects.filter(cue__list=swow)
    return {
        (cue, response): people
        for cue, response, people in rows.values_list("cue__text", "response__text", "count")
    }
