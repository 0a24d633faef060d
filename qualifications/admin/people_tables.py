"""The table of who took part, with the rows and the words of a paper's table of workers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hits.datasets.columns import TEXT
from hits.datasets.stat_table import UNKNOWN, WORDS, StatTable, head
from qualifications.domain.about_people import AGE
from qualifications.domain.people_table import Figures
from qualifications.domain.withheld_cells import FEWEST

WITHHELD = "withheld"
TITLE = "Who took part"
ROWS: Mapping[str, Mapping[str, str]] = {
    "education": {
        "less_than_school": "# Less than High School",
        "school": "# High School Education",
        "some_college": "# Some College or Vocational Training",
        "bachelor": "# Bachelor Education",
        "master": "# Master Education",
        "doctorate": "# Doctorate",
        "other": "# Other Education",
    },
    "native_english": {
        "yes": "# Native English Speakers",
        "no": "# Other Native Language",
    },
    "gender": {
        "woman": "# Women",
        "man": "# Men",
        "nonbinary": "# Non-binary",
        "other": "# Another Gender",
    },
}
LEGEND = (
    f"Every figure is exact. “{WITHHELD.capitalize()}” means that fewer than {FEWEST} people stand behind a "
    "figure, perhaps none, or that it would reveal such a figure if it were subtracted from others: from the "
    "number of workers, from another role whose people are partly the same, or from an earlier count. A "
    "person counts in each role that they had, so roles need not sum up to all people. People who were not "
    "asked, declined, or took their consent back are in the number of workers alone. The share of native "
    "speakers is of those who said yes or no. Ages are in whole years, with the standard deviation of a "
    "population."
)


def people_table(figures: Figures) -> StatTable:
    roles = sorted(figures)
    return StatTable(
        name="people",
        title=TITLE,
        columns=[
            head("Statistic", TEXT),
            *(head(role, WORDS) for role in roles),
        ],
        rows=[
            [name, *(WITHHELD if value is None else value for value in values)]
            for name, values in _rows(figures, roles)
        ],
        note=LEGEND,
    )


def _rows(figures: Figures, roles: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
    about = [figures[role] for role in roles]
    yield "# Workers", [one["workers"] for one in about]
    yield "Avg. Age", [_age(one[AGE]) for one in about]
    for question in ("education", "native_english", "gender"):
        for answer, name in ROWS[question].items():
            yield name, [one[question][answer] for one in about]
        if question == "native_english":
            yield "% Native English Speakers", [_share(one[question]) for one in about]
    yield "Women : Men", [_ratio(one["gender"]) for one in about]


def _age(age: Sequence[int] | None) -> str | None:
    return None if age is None else f"{age[0]} ± {age[1]}"


def _share(native: Mapping[str, int | None]) -> int | str | None:
    """The share in whole percent, from two published counts and nothing else."""
    yes, no = native["yes"], native["no"]
    if yes is None or no is None:
        return None
    return round(100 * yes / (yes + no)) if yes + no else UNKNOWN


def _ratio(gender: Mapping[str, int | None]) -> str | None:
    women, men = gender["woman"], gender["man"]
    return None if women is None or men is None else f"{women} : {men}"
