"""Gates and grades as workers read them: kind, exact, and never rounded up to a bound."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from hits.common.percentages import percentage
from hits.core.domain import requirements
from hits.families import measure_name
from qualifications.domain.gate_rules import Bound, Finding, Floor, read_finding
from qualifications.models import Gate

COMPARED: Mapping[str, str | Promise] = {
    "GreaterThan": gettext_lazy("more than %(value)s"),
    "GreaterThanOrEqualTo": gettext_lazy("at least %(value)s"),
    "LessThan": gettext_lazy("fewer than %(value)s"),
    "LessThanOrEqualTo": gettext_lazy("at most %(value)s"),
    "EqualTo": gettext_lazy("exactly %(value)s"),
}


def findings_in_words(rows: Any) -> list[str]:
    """Sentences about an attempt's findings as they are stored."""
    found = [read_finding(row) for row in rows] if isinstance(rows, list) else []
    return [_finding(finding) for finding in found if finding]


def bounds_in_words(bounds: Iterable[Bound]) -> list[str]:
    return [
        _("%(measure)s: on average %(limit)s")
        % {"measure": measure_name(bound.measure), "limit": _limit(bound)}
        for bound in bounds
    ]


def floor_in_words(floor: Floor, *, mean: Fraction) -> str:
    """Why the worker has lost the gate: the mean of the latest scores, and the floor."""
    words = ngettext(
        "%(measure)s: your latest answer came to %(mean)s, and %(below)s is needed.",
        "%(measure)s: your latest %(last)d answers came to %(mean)s on average, and %(below)s is needed.",
        floor.last,
    )
    said = words % {
        "measure": measure_name(floor.measure),
        "last": floor.last,
        "mean": percentage(mean),
        "below": _whole(floor.below),
    }
    return said[:1].upper() + said[1:]


def requirements_in_words(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Sentences about what the platform itself checks; each row is as the Requester API has it."""
    return [_requirement(row) for row in rows]


def where_to_test(gate: Gate, title: str | None) -> str:
    """Where the worker finds the test; `title` is that of a HIT with it that is open now, or None."""
    if gate.grading == Gate.Grading.PROVIDER:
        said = _("The platform offers this test itself: ask there for the qualification “%(test)s”.")
        return said % {"test": gate.name}
    if title is None:
        return _("Nothing with this test is offered at the moment. Please look again later.")
    return _("Look for “%(title)s” on the platform to take it.") % {"title": title}


def day(at: datetime, *, zone: str) -> str:
    """Date and time in the zone; the time is included because a delay ends at an instant."""
    return formats.date_format(timezone.localtime(at, ZoneInfo(zone)), "DATETIME_FORMAT")


def _finding(finding: Finding) -> str:
    bound = finding.bound
    reached = percentage(finding.mean)
    if finding.holds and bound.strictly and reached == _whole(bound.percent):
        reached = _("just above %(percent)s") % {"percent": reached}
    words = (
        _("%(measure)s: your average was %(mean)s, and %(limit)s was needed.")
        if finding.holds
        else _("%(measure)s: your average was %(mean)s, and %(limit)s is needed.")
    )
    said = words % {"measure": measure_name(bound.measure), "mean": reached, "limit": _limit(bound)}
    return said[:1].upper() + said[1:]


def _limit(bound: Bound) -> str:
    words = _("above %(percent)s") if bound.strictly else _("at least %(percent)s")
    return words % {"percent": _whole(bound.percent)}


def _whole(percent: int) -> str:
    return f"{percent} %"


def _requirement(row: Mapping[str, Any]) -> str:
    kind, comparator = str(row.get("QualificationTypeId", "")), str(row.get("Comparator", ""))
    integers = row.get("IntegerValues") or []
    if comparator in COMPARED and len(integers) == 1:
        limit = str(COMPARED[comparator]) % {"value": formats.number_format(integers[0], force_grouping=True)}
        if kind == requirements.PERCENT_APPROVED:
            return _("Of your earlier work %(limit)s per cent were approved.") % {"limit": limit}
        if kind == requirements.NUMBER_APPROVED:
            return _("You have %(limit)s approved HITs.") % {"limit": limit}
    if kind == requirements.LOCALE and comparator in ("In", "EqualTo"):
        places = [
            "-".join(filter(None, (value.get("Country"), value.get("Subdivision"))))
            for value in row.get("LocaleValues") or []
        ]
        return _("You are in one of these countries: %(places)s.") % {"places": ", ".join(places)}
    return _("The platform asks for a further qualification; it says which one when you accept.")
