"""Requirements on workers, as the Requester API takes them and in words."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

LOCALE = "00000000000000000071"
PERCENT_APPROVED = "000000000000000000L0"
NUMBER_APPROVED = "00000000000000000040"
ADULT = "00000000000000000060"
MASTERS = {
    "production": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH",
    "sandbox": "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6",
    "marketplace": "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6",
}
NAMES = {
    LOCALE: "Country",
    PERCENT_APPROVED: "Share of earlier work that was approved, in per cent",
    NUMBER_APPROVED: "Number of earlier assignments that were approved",
    ADULT: "Agreed to see adult content",
}
COMPARATORS = {
    "LessThan": "less than",
    "LessThanOrEqualTo": "at most",
    "GreaterThan": "more than",
    "GreaterThanOrEqualTo": "at least",
    "EqualTo": "exactly",
    "NotEqualTo": "not",
    "Exists": "is held",
    "DoesNotExist": "is not held",
    "In": "one of",
    "NotIn": "none of",
}
COMPARE: Mapping[str, Callable[[int, Sequence[int]], bool]] = {
    "LessThan": lambda value, to: value < to[0],
    "LessThanOrEqualTo": lambda value, to: value <= to[0],
    "GreaterThan": lambda value, to: value > to[0],
    "GreaterThanOrEqualTo": lambda value, to: value >= to[0],
    "EqualTo": lambda value, to: value == to[0],
    "NotEqualTo": lambda value, to: value != to[0],
    "DoesNotExist": lambda _value, _to: False,
    "In": lambda value, to: value in to,
    "NotIn": lambda value, to: value not in to,
}
# What is asked of strangers: people of one's own, invited yesterday, have no record, and may have no country.
OF_STRANGERS = {LOCALE, PERCENT_APPROVED, NUMBER_APPROVED, *MASTERS.values()}
GUARDED = {
    "Accept": "others may look, and not accept",
    "PreviewAndAccept": "others see that it exists, and not more",
    "DiscoverPreviewAndAccept": "others do not see that it exists",
}
MOST = 10
MOST_LOCALES = 30
MOST_INTEGERS = 15
NO_MEANINGS: Mapping[str, str] = {}
# A row that names a filter of a provider which knows no qualifications, instead of a qualification type:
# with what was chosen of it, or with a range.
FILTER, CHOSEN, RANGE = "Filter", "Chosen", "Range"
# Ids of types that are groups of workers at such a provider.
GROUP = "group:"
# Asked of the worker by our own pages: no provider knows it.
SPEAKS_ENGLISH = "Speaks English, as the worker says when we ask"


def wants_masters(requirements: Sequence[Mapping[str, Any]]) -> bool:
    return any(row.get("QualificationTypeId") in MASTERS.values() for row in requirements)


def is_of_strangers(row: Mapping[str, Any]) -> bool:
    """Whether it asks for a country or a record of approved work; keeping Masters out asks for neither."""
    return row.get("QualificationTypeId") in OF_STRANGERS and row.get("Comparator") != "DoesNotExist"


def for_own_people(requirements: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the requirements without those that ask for a country or a record of approved work."""
    return [dict(row) for row in requirements if not is_of_strangers(row)]


def in_words(
    requirements: Sequence[Mapping[str, Any]],
    *,
    english_speakers: bool = False,
    meanings: Mapping[str, str] = NO_MEANINGS,
) -> list[str]:
    """Return one sentence for each requirement, for people.

    `meanings`: what a requirement says where its values would say nothing, by the id of its type or filter.
    """
    sentences = [_sentence(row, meanings) for row in requirements]
    return [*sentences, *([SPEAKS_ENGLISH] if english_speakers else ())]


def is_met(row: Mapping[str, Any], value: int) -> bool:
    """Whether a worker who holds the qualification with this value meets the requirement."""
    values = row.get("IntegerValues", [])
    compare = COMPARE.get(str(row.get("Comparator")))
    return True if compare is None else compare(value, values)


def check(requirements: Any) -> None:
    """Check a list of requirements. Raises ValueError with the number of the wrong one and its fault."""
    if not isinstance(requirements, list) or not all(isinstance(row, dict) for row in requirements):
        raise ValueError("Requirements are a list of objects, as the Requester API takes them.")
    if len(requirements) > MOST:
        raise ValueError(f"A HIT takes at most {MOST} requirements; these are {len(requirements)}.")
    for number, row in enumerate(requirements, start=1):
        _check_row(row, number)


def unknown_to(requirements: Sequence[Mapping[str, Any]], *, takes_filters: bool) -> list[str]:
    """Return the requirements that the provider does not know, in words.

    `takes_filters`: it knows filters and groups; otherwise qualifications.
    """

    def is_known(row: Mapping[str, Any]) -> bool:
        if not takes_filters:
            return FILTER not in row
        return FILTER in row or str(row.get("QualificationTypeId", "")).startswith(GROUP)

    return in_words([row for row in requirements if not is_known(row)])


def _check_filter(row: Mapping[str, Any], number: int) -> None:
    chosen, between = row.get(CHOSEN), row.get(RANGE)
    name = row[FILTER]
    if unknown := sorted(set(row) - {FILTER, CHOSEN, RANGE}):
        raise ValueError(f"Requirement {number}: {', '.join(map(str, unknown))} is not a field of a filter.")
    if not isinstance(name, str) or not name:
        raise ValueError(f"Requirement {number}: a {FILTER} is the id that the provider gives it.")
    if (chosen is None) == (between is None):
        raise ValueError(f"Requirement {number}: give either {CHOSEN} or {RANGE}.")
    if chosen is not None and not (
        isinstance(chosen, list) and chosen and all(isinstance(value, str) for value in chosen)
    ):
        raise ValueError(f"Requirement {number}: {CHOSEN} is a list of texts, as the provider names them.")
    if between is not None and not _is_range(between):
        raise ValueError(f"Requirement {number}: {RANGE} is a list of two numbers, the lower one first.")


def _is_range(between: Any) -> bool:
    is_pair = isinstance(between, list) and len(between) == 2
    return is_pair and all(type(end) in (int, float) for end in between) and between[0] <= between[1]


def _check_row(row: Mapping[str, Any], number: int) -> None:
    if FILTER in row:
        _check_filter(row, number)
        return
    known = {
        "QualificationTypeId",
        "Comparator",
        "IntegerValues",
        "LocaleValues",
        "RequiredToPreview",
        "ActionsGuarded",
    }
    if unknown := sorted(set(row) - known):
        raise ValueError(f"Requirement {number}: {', '.join(map(str, unknown))} is not a field of it.")
    if not isinstance(row.get("QualificationTypeId"), str) or not row["QualificationTypeId"]:
        raise ValueError(f"Requirement {number} needs a QualificationTypeId.")
    comparator = row.get("Comparator")
    if not isinstance(comparator, str) or comparator not in COMPARATORS:
        raise ValueError(f"Requirement {number}: the Comparator is one of {', '.join(COMPARATORS)}.")
    guarded = row.get("ActionsGuarded", "Accept")
    if not isinstance(guarded, str) or guarded not in GUARDED:
        raise ValueError(f"Requirement {number}: ActionsGuarded is one of {', '.join(GUARDED)}.")
    _check_values(row, comparator, number)


def _check_values(row: Mapping[str, Any], comparator: str, number: int) -> None:
    integers, locales = row.get("IntegerValues", []), row.get("LocaleValues", [])
    if not isinstance(integers, list) or not all(type(value) is int for value in integers):
        raise ValueError(f"Requirement {number}: IntegerValues is a list of whole numbers.")
    if not isinstance(locales, list) or not all(
        isinstance(value, dict)
        and isinstance(value.get("Country"), str)
        and isinstance(value.get("Subdivision", ""), str)
        for value in locales
    ):
        raise ValueError(f"Requirement {number}: LocaleValues is a list of objects with a Country as text.")
    given = len(integers) + len(locales)
    most = MOST_LOCALES if locales else MOST_INTEGERS
    if comparator in ("Exists", "DoesNotExist"):
        right = given == 0
    elif comparator in ("In", "NotIn"):
        right = 1 <= given <= most
    else:
        right = given == 1
    if not right or (integers and locales):
        raise ValueError(f"Requirement {number}: {comparator} does not go with {given} values.")
    if (row["QualificationTypeId"] == LOCALE) != bool(locales):
        raise ValueError(f"Requirement {number}: a country, and nothing else, is compared with LocaleValues.")


def _sentence(row: Mapping[str, Any], meanings: Mapping[str, str]) -> str:
    if FILTER in row:
        if said := meanings.get(row[FILTER]):
            return said
        chosen, between = row.get(CHOSEN), row.get(RANGE)
        values = f"{between[0]} to {between[1]}" if between else f"one of {', '.join(chosen or ())}"
        return f"The provider's filter {row[FILTER]}: {values}"
    kind = str(row.get("QualificationTypeId", ""))
    words = meanings.get(kind) or _values_in_words(row, kind)
    return f"{words}; {GUARDED[guarded]}" if (guarded := row.get("ActionsGuarded")) in GUARDED else words


def _values_in_words(row: Mapping[str, Any], kind: str) -> str:
    name = "Masters" if kind in MASTERS.values() else NAMES.get(kind, f"Qualification {kind}")
    comparator = COMPARATORS.get(str(row.get("Comparator")), str(row.get("Comparator")))
    values = [str(value) for value in row.get("IntegerValues", [])]
    values += [
        "-".join(filter(None, (v.get("Country"), v.get("Subdivision")))) for v in row.get("LocaleValues", [])
    ]
    return f"{name}: {comparator} {', '.join(values)}".rstrip()
