"""Pure rules that name, in words, what an approver should look at first in a bonus run."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from hits.common.currencies import in_money

# An amount above UNLIKE times its rule's median is unusual, if the rule has at least ENOUGH bonuses.
UNLIKE = 3
ENOUGH = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """The facts about one bonus. `in_flight` says what else of its submission is on its way."""

    worker: Hashable
    rule: Hashable
    amount: Decimal
    currency: str
    large: Decimal
    many: int
    is_rejected: bool = False
    is_kept_out: bool = False
    is_blocked: bool = False
    in_flight: str = ""


def find_outliers(rows: Sequence[Facts]) -> list[list[str]]:
    """Return one list of warnings for each row, in the rows' order; empty where nothing is unusual."""
    of_worker = Counter(row.worker for row in rows)
    medians = _medians(rows)
    return [_words_of(row, of_worker[row.worker], medians.get(row.rule)) for row in rows]


def _medians(rows: Sequence[Facts]) -> dict[Hashable, Decimal]:
    amounts: dict[Hashable, list[Decimal]] = defaultdict(list)
    for row in rows:
        amounts[row.rule].append(row.amount)
    return {rule: median(found) for rule, found in amounts.items() if len(found) >= ENOUGH}


def _words_of(row: Facts, of_worker: int, usual: Decimal | None) -> list[str]:
    said = [
        (row.is_rejected, "The work was rejected."),
        (row.is_kept_out, "The work is kept out of the data."),
        (row.is_blocked, "The worker is blocked."),
        (row.amount > row.large, f"Above {in_money(row.large, row.currency)}."),
        (of_worker > row.many, f"One of {of_worker} bonuses for this worker: more than {row.many}."),
        (bool(row.in_flight), row.in_flight),
    ]
    if usual is not None and row.amount > UNLIKE * usual:
        paid = in_money(usual, row.currency)
        said.append((True, f"More than {UNLIKE} times what its rule usually pays here ({paid})."))
    return [words for holds, words in said if holds]
