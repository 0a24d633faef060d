"""Checks that a qualification requirement makes sense, before a HIT type may carry it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from crowd.marketplace import countries
from crowd.marketplace.errors import InvalidParameterCombination, ParameterValidationError, out_of_range
from crowd.marketplace.services.qualifying.system_qualifications import LOCALE, MASTERS

Requirement = Mapping[str, Any]  # as the API carries it

MOST_REQUIREMENTS = 10
MOST_INTEGERS = 15
MOST_LOCALES = 30
LEAST_INTEGER, MOST_INTEGER = -(2**31), 2**31 - 1
MEMBERS = {
    "QualificationTypeId",
    "Comparator",
    "IntegerValues",
    "LocaleValues",
    "RequiredToPreview",
    "ActionsGuarded",
}
WITHOUT_VALUES = {"Exists", "DoesNotExist"}
OF_SEVERAL = {"In", "NotIn"}
OF_LOCALES = {"EqualTo", "NotEqualTo", "In", "NotIn"}
SUBDIVISION = re.compile(r"[A-Z0-9]{2}", re.ASCII)


def check_sense(requirements: Sequence[Requirement]) -> None:
    """Raise an APIError for the first thing to correct; no database is asked."""
    if len(requirements) > MOST_REQUIREMENTS:
        raise out_of_range("The number of QualificationRequirements", low=0, high=MOST_REQUIREMENTS)
    for requirement in requirements:
        _check_members(requirement)
        if requirement["QualificationTypeId"] == LOCALE:
            _check_locales(requirement)
        else:
            _check_integers(requirement)


def _check_members(requirement: Requirement) -> None:
    """Check the members. Unknown ones are refused: no worker could be compared with them."""
    if unknown := sorted(set(requirement) - MEMBERS):
        raise _senseless(requirement, f"has no member {unknown[0]!r}")
    guards = [requirement.get(name) is not None for name in ("ActionsGuarded", "RequiredToPreview")]
    if all(guards):
        raise InvalidParameterCombination(
            "A requirement has either ActionsGuarded or RequiredToPreview, not both."
        )
    if requirement["QualificationTypeId"] in MASTERS and requirement["Comparator"] not in WITHOUT_VALUES:
        raise _senseless(requirement, "is about Masters, which takes Exists or DoesNotExist")


def _check_integers(requirement: Requirement) -> None:
    if requirement.get("LocaleValues"):
        raise _senseless(requirement, "takes IntegerValues: only the location takes LocaleValues")
    values = requirement.get("IntegerValues") or []
    _check_number_of_values(requirement, given=len(values), most=MOST_INTEGERS, name="IntegerValues")
    if not all(LEAST_INTEGER <= value <= MOST_INTEGER for value in values):
        raise out_of_range("IntegerValues", low=LEAST_INTEGER, high=MOST_INTEGER)


def _check_locales(requirement: Requirement) -> None:
    if requirement["Comparator"] not in OF_LOCALES:
        raise _senseless(requirement, f"is about the location, which takes {', '.join(sorted(OF_LOCALES))}")
    if requirement.get("IntegerValues"):
        raise _senseless(requirement, "is about the location, which takes LocaleValues")
    places = requirement.get("LocaleValues") or []
    _check_number_of_values(requirement, given=len(places), most=MOST_LOCALES, name="LocaleValues")
    for place in places:
        _check_place(place)


def _check_place(place: Mapping[str, Any]) -> None:
    if place["Country"] not in countries.NAMES:
        raise _invalid(f"There is no country {place['Country']!r}: use a code of ISO 3166, such as US.")
    subdivision = place.get("Subdivision")
    if subdivision is not None and not SUBDIVISION.fullmatch(subdivision):
        raise _invalid(f"A Subdivision is two capital letters or digits; this is {subdivision!r}.")
    if unknown := sorted(set(place) - {"Country", "Subdivision"}):
        raise _invalid(f"A Locale has no member {unknown[0]!r}.")


def _check_number_of_values(requirement: Requirement, *, given: int, most: int, name: str) -> None:
    comparator = requirement["Comparator"]
    if comparator in WITHOUT_VALUES:
        low, high = 0, 0
    elif comparator in OF_SEVERAL:
        low, high = 1, most
    else:
        low, high = 1, 1
    if not low <= given <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        raise _senseless(requirement, f"takes {wanted} {name}, and has {given}")


def _senseless(requirement: Requirement, problem: str) -> ParameterValidationError:
    named = f"{requirement['QualificationTypeId']} {requirement['Comparator']}"
    return _invalid(f"The QualificationRequirement ({named}) {problem}.")


def _invalid(message: str) -> ParameterValidationError:
    return ParameterValidationError(message, code="InvalidParameterValue")
