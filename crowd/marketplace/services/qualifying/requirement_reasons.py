"""The reasons why a worker may not do a HIT, in plain words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.marketplace import countries
from crowd.marketplace.models import HITType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services.qualifying.system_qualifications import (
    ADULT,
    LOCALE,
    MASTERS,
    NUMBER_APPROVED,
    PERCENT_APPROVED,
)

BOUNDS = {
    "LessThan": gettext_lazy("less than %(values)s"),
    "LessThanOrEqualTo": gettext_lazy("at most %(values)s"),
    "GreaterThan": gettext_lazy("more than %(values)s"),
    "GreaterThanOrEqualTo": gettext_lazy("at least %(values)s"),
    "EqualTo": gettext_lazy("exactly %(values)s"),
    "NotEqualTo": gettext_lazy("anything but %(values)s"),
    "In": gettext_lazy("one of %(values)s"),
    "NotIn": gettext_lazy("none of %(values)s"),
    "Exists": gettext_lazy("any"),
}


# Most characters of a type's description in a list of reasons.
LONGEST = 300


@dataclass(frozen=True, kw_only=True)
class NamedType:
    """A qualification type as the worker knows it."""

    name: str
    is_requestable: bool
    description: str = ""
    has_test: bool = False
    # The work by which it is got; asking for it is in vain then.
    work: Sequence[HITType] = ()
    # Given for work alone, also while none of it is posted.
    is_given_for_work: bool = False

    @property
    def way_in(self) -> str:
        """How a worker gets it: "work", "test", "ask", or empty where only the requester knows."""
        if self.work or (self.is_given_for_work and not self.has_test):
            return "work"
        return ("test" if self.has_test else "ask") if self.is_requestable else ""


UNNAMED = NamedType(name="?", is_requestable=False)


def explain(
    requirement: Mapping[str, Any],
    *,
    worker: Worker,
    value: int | None,
    said: str = "",
    named: Mapping[str, NamedType],
) -> str:
    type_id, comparator = requirement["QualificationTypeId"], requirement["Comparator"]
    if type_id == LOCALE:
        return _explain_location(requirement, worker=worker)
    if type_id in MASTERS:
        return _("Not for Masters.") if comparator == "DoesNotExist" else _("Only for Masters.")
    if type_id == ADULT and value is None:
        return _("Only for workers who have said that they are adults.")
    if comparator == "DoesNotExist" or type_id == ADULT:
        words = _("Only for workers who do not have “%(name)s”, and you have it.")
        return _with_description(words % {"name": _name_of(type_id, named)}, named.get(type_id, UNNAMED))
    bound = BOUNDS[comparator] % {"values": ", ".join(map(str, requirement.get("IntegerValues") or []))}
    if said:
        words = _("Needs the qualification “%(name)s”. The requester says: “%(said)s”")
        return words % {"name": _name_of(type_id, named), "said": said}
    return _explain_value(type_id, bound=bound, value=value, named=named)


def _explain_value(type_id: str, *, bound: str, value: int | None, named: Mapping[str, NamedType]) -> str:
    terms = {"bound": bound, "value": value}
    if type_id == PERCENT_APPROVED:
        return _("Needs %(bound)s %% approved work; yours is %(value)d %%.") % terms
    if type_id == NUMBER_APPROVED:
        return _("Needs %(bound)s approved pieces of work; you have %(value)d.") % terms
    return _explain_custom(named.get(type_id, UNNAMED), bound=bound, value=value)


def _explain_custom(type_: NamedType, *, bound: str, value: int | None) -> str:
    terms = {"bound": bound, "name": type_.name, "value": value}
    if value is not None:
        reason = _("Needs %(bound)s in the qualification “%(name)s”; yours is %(value)d.")
    elif type_.way_in == "work":
        listed = [group.title for group in type_.work if group.is_listed]
        words = _("Needs the qualification “%(name)s”, which you get by “%(title)s”.")
        closed = _("Needs the qualification “%(name)s”. Its test is not open now: look again later.")
        return (words if listed else closed) % {**terms, "title": "".join(listed[:1])}
    elif type_.way_in == "test":
        reason = _("Needs the qualification “%(name)s”, which you can get by its test.")
    elif type_.way_in == "ask":
        reason = _("Needs the qualification “%(name)s”, which you can ask for.")
    else:
        reason = _("Needs the qualification “%(name)s”.")
    return _with_description(reason % terms, type_)


def _with_description(reason: str, type_: NamedType) -> str:
    """Add the type's description, which often says how to get the qualification."""
    if not type_.description:
        return reason
    said = {"reason": reason, "description": Truncator(type_.description).chars(LONGEST)}
    return _("%(reason)s The requester says: “%(description)s”") % said


def _explain_location(requirement: Mapping[str, Any], *, worker: Worker) -> str:
    places = ", ".join(
        countries.name_place(place["Country"], place.get("Subdivision") or "")
        for place in requirement["LocaleValues"]
    )
    is_exclusion = requirement["Comparator"] in ("NotEqualTo", "NotIn")
    text = _("Not for workers in %(places)s.") if is_exclusion else _("Only for workers in %(places)s.")
    reason = text % {"places": places}
    if worker.country:
        return reason
    unknown = _("%(reason)s Your country is not known yet: say it under Settings, once.")
    return unknown % {"reason": reason}


def _name_of(type_id: str, named: Mapping[str, NamedType]) -> str:
    system = {PERCENT_APPROVED: _("Approval rate"), NUMBER_APPROVED: _("Approved work"), ADULT: _("Adult")}
    return system.get(type_id) or named.get(type_id, UNNAMED).name
