"""Requirements that the value of a qualification meets."""

import pytest

from hits.core.domain.requirements import is_met

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("comparator", "values", "good"),
    [
        ("LessThan", [98], [97]),
        ("LessThanOrEqualTo", [98], [97, 98]),
        ("GreaterThan", [98], [99]),
        ("GreaterThanOrEqualTo", [98], [98, 99]),
        ("EqualTo", [98], [98]),
        ("NotEqualTo", [98], [97, 99]),
        ("In", [97, 99], [97, 99]),
        ("NotIn", [97, 99], [98]),
        ("Exists", [], [97, 98, 99]),
        ("DoesNotExist", [], []),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value)) or "none",
)
def test_is_met_below_at_and_above_the_bound(comparator: str, values: list[int], good: list[int]) -> None:
    row = {"QualificationTypeId": "Q", "Comparator": comparator, "IntegerValues": values}

    assert [value for value in (97, 98, 99) if is_met(row, value)] == good
