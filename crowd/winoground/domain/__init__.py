"""The rules of caption matching, without a database."""

from collections.abc import Mapping
from typing import Any

# Tasks, as items and batches name them.
VALIDATE = "winoground.validate"
ONBOARDING = "winoground.onboarding"
# Measures: a "yes" to a caption with an image, and a right answer to a first question.
YES = "yes"
RIGHT = "onboarding"
# The combinations of an example: both captions with both images.
PLACES = ((0, 0), (0, 1), (1, 0), (1, 1))
# The most questions on one page.
MOST_ITEMS = 50
# The number of first questions, and how many taken away meanwhile still cost their worker nothing.
FIRST_QUESTIONS = 10
MOST_SPARED = 2
# A test is asked of every worker who comes, and never runs out.
ANYBODY = 30_000
# The paper asks workers with at least 98 % of at least 1,000 approved who speak English. Platforms know
# only the country, so each worker is asked, too.
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
