"""The state of work and money, in the worker's words: honest, and without alarm."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from hits.common.currencies import in_money
from hits.common.percentages import percentage
from hits.families import measure_name
from hits.ledger.models.bonuses import Bonus
from hits.work.models.assignments import Assignment

Work = Assignment.Status
Status = Bonus.Status
GOOD, BAD, PLAIN = "good", "bad", ""
# Names of figures that a rule notes for itself, and values that tell a person nothing.
INTERNAL = re.compile(
    r"(^|_)(id|ids|pk|key|token|digest|sha256|hash|answer|answers|solution|solutions|chosen|picks)$"
)
RANDOM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,}", re.IGNORECASE)
# In the order in which they are shown: one of the databases keeps no order.
LABELS: Mapping[str, str | Promise] = {
    "measure": gettext_lazy("What was measured"),
    "at_least": gettext_lazy("Needed at least"),
    "mean": gettext_lazy("Your average"),
    "score": gettext_lazy("Your score"),
    "when": gettext_lazy("Only if"),
    "scores": gettext_lazy("Your scores"),
    "items": gettext_lazy("Part"),
    "from": gettext_lazy("From"),
    "below": gettext_lazy("Below"),
    "seconds": gettext_lazy("Time counted"),
    "is_active_time": gettext_lazy("Only time at work was counted"),
    "hourly": gettext_lazy("Pay for an hour"),
    "reward": gettext_lazy("Reward"),
    "other_bonuses": gettext_lazy("Other bonuses"),
    "earned": gettext_lazy("Reward and bonuses before"),
    "lacking": gettext_lazy("What was missing"),
    "at_most": gettext_lazy("At most"),
    "owed_before": gettext_lazy("Counted before"),
    "amount": gettext_lazy("Amount"),
}
RANKS = {name: rank for rank, name in enumerate(LABELS)}
# Formats of figures: exact fractions, whole percent, money, seconds. Others are shown as they are.
FRACTIONS = {"score", "scores", "mean", "when"}
PER_CENT = {"at_least", "from", "below"}
MONEY = {"amount", "hourly", "reward", "other_bonuses", "earned", "lacking", "at_most", "owed_before"}
TIMES = {"seconds"}
OURS = {"kind", "floor_cents"}
DEPTH = 3


@dataclass(frozen=True, kw_only=True)
class State:
    """One short sentence, and whether it is good news."""

    words: str
    tone: str = PLAIN


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One line of how an amount came about."""

    label: str
    value: str


def state_of_work(work: Assignment) -> State:
    if work.status == Work.APPROVED:
        told = _("Approved and credited on %(day)s"), work.approved_at, _("Approved and credited")
        return State(words=_on(*told), tone=GOOD)
    if work.status == Work.REJECTED:
        return State(words=_on(_("Not accepted on %(day)s"), work.rejected_at, _("Not accepted")), tone=BAD)
    if work.status == Work.SAVED:
        return State(words=_("Saved here; the platform has not told us yet that you submitted it"))
    until = _on(
        _("Received; it will be checked by %(day)s"), work.auto_approves_at, _("Received; it will be checked")
    )
    return State(words=until)


def state_of_bonus(bonus: Bonus) -> State:
    """State of a bonus: nothing about who decides, and nothing untrue."""
    status = Status(bonus.status)
    if status == Status.CONFIRMED and bonus.compensation_id:
        return State(words=_("Credited by a HIT of its own"), tone=GOOD)
    if status == Status.CONFIRMED:
        return State(
            words=_on(_("Credited on %(day)s"), bonus.sent_at or bonus.confirmed_at, _("Credited")), tone=GOOD
        )
    if status == Status.SENT:
        return State(words=_on(_("Sent on %(day)s"), bonus.sent_at, _("Sent")), tone=GOOD)
    if status == Status.OWED and bonus.held_at:
        return State(words=_("Earned, not yet sent: a person takes a closer look first"))
    return State(words=str(WORDS[status]))


WORDS: Mapping[Status, str | Promise] = {
    Status.OWED: gettext_lazy("Earned, not yet sent: it is paid after a last check"),
    Status.APPROVED: gettext_lazy("Earned, not yet sent: it is approved, and sent next"),
    Status.SENDING: gettext_lazy("Being sent"),
    Status.UNKNOWN: gettext_lazy("Being sent; we are checking with the platform that it arrived"),
    Status.REFUSED: gettext_lazy("Still yours; the platform could not send it yet, and we take care of that"),
    Status.COMPENSATING: gettext_lazy("Will be paid by a HIT that only you can do; look for it in your list"),
    Status.WAIVED: gettext_lazy("Will not be paid after all; ask us if you think that is wrong"),
}


def figures_of(bonus: Bonus, *, currency: str) -> list[Figure]:
    """Figures that the bonus's rule has noted: scores and steps. Keys and ids of rows are left out."""
    figures = bonus.figures
    return list(_lines(figures, currency, depth=DEPTH)) if isinstance(figures, Mapping) else []


def _lines(figures: Mapping[str, Any], currency: str, *, depth: int, before: str = "") -> Iterator[Figure]:
    for name in sorted(figures, key=_rank):
        value = figures[name]
        if name in OURS or INTERNAL.search(str(name)) or value in (None, "", [], {}):
            continue
        label = f"{before}{_label(str(name))}"
        if _is_plain(value):
            if not RANDOM.search(str(value)):
                yield Figure(label=label, value=_text(str(name), value, currency))
        elif depth and isinstance(value, Mapping):
            yield from _lines(value, currency, depth=depth - 1, before=f"{label}: ")
        elif depth and isinstance(value, Sequence):
            yield from _parts(str(name), label, value, currency, depth=depth - 1)


def _parts(name: str, label: str, values: Sequence[Any], currency: str, *, depth: int) -> Iterator[Figure]:
    """Lines of a list: one for numbers, or one for each step."""
    if all(_is_plain(value) for value in values):
        yield Figure(label=label, value="; ".join(_text(name, value, currency) for value in values))
        return
    for number, value in enumerate(values, start=1):
        inner = list(_lines(value, currency, depth=depth)) if isinstance(value, Mapping) else []
        if inner:
            words = "; ".join(f"{figure.label}: {figure.value}" for figure in inner)
            yield Figure(label=f"{label} {number}", value=words)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)


def _rank(name: str) -> tuple[int, str]:
    """Sort key by the order of LABELS; figures without a label come last."""
    return RANKS.get(name, len(RANKS)), name


def _label(name: str) -> str:
    return str(LABELS.get(name) or name.replace("_", " ").strip().capitalize())


def _text(name: str, value: Any, currency: str) -> str:
    """The value in the format of its name, or as it is if it cannot be read so."""
    if name == "measure":
        value = measure_name(str(value))
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    try:
        if name in FRACTIONS:
            return percentage(Fraction(value))
        if name in PER_CENT:
            return percentage(Fraction(value) / 100)
        if name in MONEY:
            return in_money(Decimal(str(value)), currency)
        if name in TIMES:
            return _time(int(value))
    except (ValueError, ArithmeticError):
        pass
    return str(value)


def _time(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return _("%(minutes)d min %(seconds)d s") % {"minutes": minutes, "seconds": rest}


def _on(words: str, at: datetime | None, otherwise: str) -> str:
    """The sentence with its day in the page's zone, or `otherwise` if the day is not known."""
    if at is None:
        return otherwise
    return words % {"day": formats.date_format(timezone.localtime(at), "DATE_FORMAT")}
