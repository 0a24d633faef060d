"""The rules of caption matching, without a database."""

from collections.abc import Mapping
from typing import Any

# Tasks, as items and batches name them.
VALIDATE = "winoground.validate"
ONBOARDING = "winoground.onboarding"
# What a yes is worth, and what a right answer of the first questions is.
YES = "yes"
RIGHT = "onboarding"
# Of an example: both captions with both images.
PLACES = ((0, 0), (0, 1), (1, 0), (1, 1))
# So many questions stand on one page at most.
MOST_ITEMS = 50
# So many questions have the onboarding, and so many of them may be taken away from under somebody.
FIRST_QUESTIONS = 10
MOST_SPARED = 2
# What a test asks is asked of whoever comes, and never runs out.
ANYBODY = 30_000
# Whom the paper asks: at least 98 % of at least 1,000 approved, and English speakers. Platforms know only
# where somebody lives.
PAPER_ASKS: tuple[Mapping[str, Any], ...] = (
    {
        "QualificationTypeId": "000000000000000000L0",
        "Comparator": "GreaterThanOrEqualTo",
        "IntegerValues": [98],
    },
    {
        "QualificationTypeId": "00000000000000000040",
        "Comparator": "GreaterThanOrEqualTo",
        "IntegerValues": [1000],
    },
    {
        "QualificationTypeId": "00000000000000000071",
        "Comparator": "In",
        "LocaleValues": [{"Country": country} for country in ("US", "GB", "CA", "IE", "AU", "NZ")],
    },
)
