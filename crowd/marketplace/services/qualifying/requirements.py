"""Qualification requirements, compared with what the worker is and holds.

A worker who lacks a qualification meets DoesNotExist alone. NotEqualTo and NotIn compare a value, as the
other comparators do, and where there is none (or no known country) nothing can be compared.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from django.db.models import BooleanField, ExpressionWrapper, Q

from crowd.marketplace.errors import does_not_exist, wrong_state
from crowd.marketplace.models import Qualification, QualificationType
from crowd.marketplace.models.parties import Requester, Worker
from crowd.marketplace.services.qualifying.requirement_checks import Requirement, check_sense
from crowd.marketplace.services.qualifying.requirement_reasons import NamedType, explain
from crowd.marketplace.services.qualifying.system_qualifications import (
    ADULT,
    LOCALE,
    MASTERS,
    SYSTEM_IDS,
    system_value,
)
from crowd.marketplace.services.qualifying.ways_in import work_that_gives
from hits.common.kept_queries import KeptQuery, given_id

__all__ = [
    "Guarded",
    "NamedType",
    "Requirement",
    "Standing",
    "UnmetRequirement",
    "check_requirements",
    "find_unmet",
    "is_met",
    "names_masters",
    "names_of",
    "standing_of",
]

HELD = KeptQuery(
    lambda: Qualification.objects.filter(worker=given_id("worker"), revoked_at=None).values_list(
        "type__external_id", "value", "reason", "type__disposed_at"
    )
)
Guarded = Literal["Accept", "PreviewAndAccept", "DiscoverPreviewAndAccept"]
COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "LessThan": operator.lt,
    "LessThanOrEqualTo": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge,
    "EqualTo": operator.eq,
    "NotEqualTo": operator.ne,
}


@dataclass(frozen=True, kw_only=True)
class UnmetRequirement:
    """One requirement that the worker does not meet; the reason is for the worker."""

    requirement: Requirement
    reason: str
    guarded: Guarded


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One worker's facts and qualifications, read once for a whole list."""

    worker: Worker
    held: Mapping[str, int]  # external id of a qualification type to its value
    # What the requester says of a held value, by the type's external id.
    said: Mapping[str, str] = field(default_factory=dict)
    # Held qualifications of deleted types. They open nothing any more, but still fail DoesNotExist.
    bygone: frozenset[str] = frozenset()


def standing_of(worker: Worker) -> Standing:
    rows = HELD.rows(worker=worker.pk)
    return Standing(
        worker=worker,
        held={type_id: value for type_id, value, _, disposed_at in rows if not disposed_at},
        said={type_id: said for type_id, _, said, disposed_at in rows if said and not disposed_at},
        bygone=frozenset(type_id for type_id, *_, disposed_at in rows if disposed_at),
    )


def find_unmet(
    requirements: Sequence[Requirement],
    *,
    standing: Standing,
    names: Mapping[str, NamedType] | None = None,
) -> list[UnmetRequirement]:
    """The unmet requirements. A list passes the `names_of` all of them; otherwise they are looked up."""
    missed = [requirement for requirement in requirements if not is_met(requirement, standing)]
    named = names_of(missed) if names is None else names
    return [
        UnmetRequirement(
            requirement=requirement,
            reason=explain(
                requirement,
                worker=standing.worker,
                value=_value(requirement["QualificationTypeId"], standing),
                said=standing.said.get(requirement["QualificationTypeId"], ""),
                named=named,
            ),
            guarded=_guarded(requirement),
        )
        for requirement in missed
    ]


def names_of(requirements: Iterable[Requirement]) -> Mapping[str, NamedType]:
    """The qualification types that these requirements name, as workers know them. Two queries, or none."""
    type_ids = {requirement["QualificationTypeId"] for requirement in requirements} - SYSTEM_IDS
    if not type_ids:
        return {}
    rows = QualificationType.objects.filter(external_id__in=type_ids)
    given_by_work = work_that_gives(type_ids)
    has_test = ExpressionWrapper(~Q(test=""), output_field=BooleanField())
    return {
        row.external_id: NamedType(
            name=row.plain_name,
            is_requestable=row.status == QualificationType.Status.ACTIVE and row.disposed_at is None,
            description=row.description,
            has_test=row.has_test,
            is_given_for_work=row.is_given_for_work,
            work=given_by_work.get(row.external_id, ()) if not row.has_test else (),
        )
        for row in rows.annotate(has_test=has_test).defer("test", "answer_key")
    }


def check_requirements(
    requirements: Sequence[Requirement], *, requester: Requester
) -> list[QualificationType]:
    """Return the types that are named, system ones aside. Raises an APIError for a senseless requirement."""
    check_sense(requirements)
    type_ids = list(dict.fromkeys(requirement["QualificationTypeId"] for requirement in requirements))
    wanted = [type_id for type_id in type_ids if type_id not in SYSTEM_IDS]
    if not wanted:
        return []
    usable = Q(requester=requester) | Q(status=QualificationType.Status.ACTIVE)
    rows = QualificationType.objects.filter(usable, external_id__in=wanted, disposed_at=None)
    found = {row.external_id: row for row in rows}
    for type_id in wanted:
        if type_id not in found:
            raise does_not_exist("QualificationType", type_id)
        if found[type_id].status != QualificationType.Status.ACTIVE:
            raise wrong_state("QualificationType", allowed="Active", current="Inactive")
    return [found[type_id] for type_id in wanted]


def names_masters(requirements: Sequence[Requirement]) -> bool:
    """Whether the fee for Masters is due: keeping them out costs nothing."""
    return any(
        requirement["QualificationTypeId"] in MASTERS and requirement["Comparator"] == "Exists"
        for requirement in requirements
    )


def is_met(requirement: Requirement, standing: Standing) -> bool:
    type_id, comparator = requirement["QualificationTypeId"], requirement["Comparator"]
    if type_id == LOCALE:
        return _is_in_place(requirement, standing.worker)
    values = requirement.get("IntegerValues") or []
    if type_id == ADULT and comparator == "EqualTo" and values == [0]:
        return True  # Amazon's service reads 0 as "adults are not required", not as "no adults".
    value = _value(type_id, standing)
    if comparator == "DoesNotExist":
        return value is None and type_id not in standing.bygone
    return value is not None and _compare(comparator, value, values)


def _compare(comparator: str, value: int, values: Sequence[int]) -> bool:
    if comparator == "Exists":
        return True
    if comparator in ("In", "NotIn"):
        return (value in values) == (comparator == "In")
    return COMPARISONS[comparator](value, values[0])


def _is_in_place(requirement: Requirement, worker: Worker) -> bool:
    if not worker.country:
        return False
    is_there = any(
        place["Country"] == worker.country
        and (place.get("Subdivision") or worker.subdivision) == worker.subdivision
        for place in requirement["LocaleValues"]
    )
    return is_there == (requirement["Comparator"] in ("EqualTo", "In"))


def _value(type_id: str, standing: Standing) -> int | None:
    if type_id in SYSTEM_IDS:
        return system_value(type_id, worker=standing.worker)
    return standing.held.get(type_id)


def _guarded(requirement: Requirement) -> Guarded:
    preview_too = "PreviewAndAccept" if requirement.get("RequiredToPreview") else "Accept"
    return cast(Guarded, requirement.get("ActionsGuarded") or preview_too)
