"""Two rehearsals side by side: what they assumed differently, and what came of it."""

from collections.abc import Iterator
from typing import Any

from crowd.rehearsal.models import Rehearsal
from crowd.rehearsal.queries.report_tables import differences_of
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import StatTable, head


def compared_tables(one: Rehearsal, other: Rehearsal) -> list[StatTable]:
    names = [head(str(one), TEXT, name="one"), head(str(other), TEXT, name="other")]
    figures = [
        head(str(one), NUMBER, name="one", digits=2),
        head(str(other), NUMBER, name="other", digits=2),
        head("Difference", NUMBER, digits=2),
    ]
    return [
        StatTable(
            name="assumptions",
            title="What they assume differently",
            columns=[head("Assumption", TEXT), *names],
            rows=list(_assumed(one, other)),
            empty="Nothing: only the draft, or the seed, may differ.",
            exact=True,
        ),
        StatTable(
            name="compared",
            title="What it comes to",
            columns=[head("Figure", TEXT), *figures],
            rows=list(differences_of(one.report, other.report, currency=one.batch.currency)),
            about="Means over the runs of each.",
            note="A difference smaller than the spread of one rehearsal's own runs may be chance.",
            exact=True,
        ),
    ]


def _assumed(one: Rehearsal, other: Rehearsal) -> Iterator[tuple[str, str, str]]:
    rows: list[tuple[str, Any, Any]] = [("seed", one.seed, other.seed)]
    keys = dict.fromkeys([*one.assumed, *other.assumed])
    rows += [(key, one.assumed.get(key), other.assumed.get(key)) for key in keys]
    for key, left, right in rows:
        if left != right:
            yield key.replace("_", " "), _words(left), _words(right)


def _words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
