"""Qualifications that the paper asks of workers, as the association game does."""

from collections.abc import Mapping
from typing import Any

# More than 98 % and more than 5,000 approved, in one of four English-speaking countries.
PAPER_ASKS: tuple[Mapping[str, Any], ...] = (
    {"QualificationTypeId": "000000000000000000L0", "Comparator": "GreaterThan", "IntegerValues": [98]},
    {"QualificationTypeId": "00000000000000000040", "Comparator": "GreaterThan", "IntegerValues": [5000]},
    {
        "QualificationTypeId": "00000000000000000071",
        "Comparator": "In",
        "LocaleValues": [{"Country": country} for country in ("US", "GB", "AU", "NZ")],
    },
)
