"""Requirements as a form asks for them, and back: what has no field of its own stays as it was written."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hits.core.domain.requirements import ADULT, LOCALE, MASTERS, NUMBER_APPROVED, PERCENT_APPROVED

Row = Mapping[str, Any]
AT_LEAST, MORE_THAN = "GreaterThanOrEqualTo", "GreaterThan"
PLACE = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?")
FIELDS = {"QualificationTypeId", "Comparator", "IntegerValues", "LocaleValues", "ActionsGuarded"}


@dataclass(frozen=True, kw_only=True)
class NumberRequirement:
    """A requirement that compares a qualification type, the researcher's or another's, with whole numbers."""

    type_id: str
    comparator: str
    values: tuple[int, ...] = ()


@dataclass(kw_only=True)
class Criteria:
    approved_percent: int | None = None
    approved_percent_by: str = AT_LEAST
    approved_number: int | None = None
    approved_number_by: str = AT_LEAST
    countries: list[str] = field(default_factory=list)
    not_countries: list[str] = field(default_factory=list)
    masters: bool = False
    adult: bool = False
    own: list[NumberRequirement] = field(default_factory=list)
    guarded: str = "Accept"
    further: list[Row] = field(default_factory=list)


def read(requirements: Sequence[Row]) -> Criteria:
    """Sort the requirements into the form's fields; what no field can show as it is stays in `further`."""
    guards = [row.get("ActionsGuarded", "Accept") for row in requirements]
    found = Criteria(guarded=guards[0] if guards else "Accept")
    for row, guard in zip(requirements, guards, strict=True):
        if set(row) - FIELDS or guard != found.guarded or not _take(row, found):
            found.further.append(row)
    return found


def build(criteria: Criteria, *, environment: str) -> list[dict[str, Any]]:
    """Return the criteria as the Requester API takes them."""
    rows: list[dict[str, Any]] = []
    for kind, comparator, bound in (
        (PERCENT_APPROVED, criteria.approved_percent_by, criteria.approved_percent),
        (NUMBER_APPROVED, criteria.approved_number_by, criteria.approved_number),
    ):
        if bound is not None:
            rows.append(_row(kind, comparator, IntegerValues=[bound]))
    for comparator, places in (("In", criteria.countries), ("NotIn", criteria.not_countries)):
        if places:
            rows.append(_row(LOCALE, comparator, LocaleValues=[_locale(place) for place in places]))
    if criteria.masters:
        rows.append(_row(MASTERS[environment], "Exists"))
    if criteria.adult:
        rows.append(_row(ADULT, "EqualTo", IntegerValues=[1]))
    rows += [_row(own.type_id, own.comparator, **_integers(own)) for own in criteria.own]
    if criteria.guarded != "Accept":
        rows = [{**row, "ActionsGuarded": criteria.guarded} for row in rows]
    return rows + [dict(row) for row in criteria.further]


def with_preset(requirements: Sequence[Row], preset: Sequence[Row], *, guarded: str) -> list[dict[str, Any]]:
    """Return the preset's rows, and those of the other rows that concern another qualification type."""
    kinds = {row["QualificationTypeId"] for row in preset}
    guard = {} if guarded == "Accept" else {"ActionsGuarded": guarded}
    others = [dict(row) for row in requirements if row.get("QualificationTypeId") not in kinds]
    return [*({**row, **guard} for row in preset), *others]


def read_places(text: str) -> list[str]:
    """Return codes such as US or US-PA without repeats. Raises ValueError that names the first wrong code."""
    places = [place.upper() for place in re.split(r"[\s,;]+", text) if place]
    for place in places:
        if not PLACE.fullmatch(place):
            raise ValueError(f"{place} is not a country code. Use two letters such as US, or US-PA.")
    return list(dict.fromkeys(places))


def move_masters(requirements: Sequence[Row], *, environment: str) -> list[dict[str, Any]]:
    """Replace the Masters id by this environment's own: a batch that changes its account keeps Masters."""
    known = set(MASTERS.values())
    return [
        {**row, "QualificationTypeId": MASTERS[environment]}
        if row.get("QualificationTypeId") in known
        else dict(row)
        for row in requirements
    ]


def _take(row: Row, found: Criteria) -> bool:
    """Move the row into its field. False if it has no field of its own, or the field is already filled."""
    kind, comparator = row.get("QualificationTypeId"), row.get("Comparator")
    integers, locales = row.get("IntegerValues", []), row.get("LocaleValues", [])
    if kind == LOCALE:
        return _take_places(str(comparator), locales, found)
    if locales:
        return False
    is_bound = comparator in (AT_LEAST, MORE_THAN)
    if kind == PERCENT_APPROVED and is_bound and found.approved_percent is None:
        found.approved_percent, found.approved_percent_by = integers[0], str(comparator)
    elif kind == NUMBER_APPROVED and is_bound and found.approved_number is None:
        found.approved_number, found.approved_number_by = integers[0], str(comparator)
    elif kind in MASTERS.values() and comparator == "Exists" and not found.masters:
        found.masters = True
    elif kind == ADULT and (comparator, integers) == ("EqualTo", [1]) and not found.adult:
        found.adult = True
    else:
        found.own.append(
            NumberRequirement(type_id=str(kind), comparator=str(comparator), values=tuple(integers))
        )
    return True


def _take_places(comparator: str, locales: Sequence[Mapping[str, str]], found: Criteria) -> bool:
    into = {"In": found.countries, "NotIn": found.not_countries}.get(comparator)
    if into is None or into or any(set(place) - {"Country", "Subdivision"} for place in locales):
        return False
    into += ["-".join(filter(None, (place["Country"], place.get("Subdivision")))) for place in locales]
    return True


def _row(kind: str, comparator: str, **values: Any) -> dict[str, Any]:
    return {"QualificationTypeId": kind, "Comparator": comparator, **values}


def _integers(own: NumberRequirement) -> dict[str, Any]:
    return {"IntegerValues": list(own.values)} if own.values else {}


def _locale(place: str) -> dict[str, str]:
    country, _, part = place.partition("-")
    return {"Country": country, "Subdivision": part} if part else {"Country": country}
