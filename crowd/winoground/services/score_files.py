"""A model's scores as a file: CSV or JSON Lines, a row for each example or for each combination."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crowd.winoground.domain import PLACES
from hits.common.uploads import UploadedColumn, is_blank, read_number, read_text
from hits.common.uploads.file_problems import Problems
from hits.data.services.model_results import Subjects

EXAMPLE = "example"
# Columns of a row for one combination, and of a row for one example.
LONG = ("caption", "image", "score")
WIDE = tuple(f"c{caption}_i{image}" for caption, image in PLACES)
COMBINATIONS = [f"caption {caption} and image {image}" for caption, image in PLACES]
SIDE = "In a row for one combination: 0 (A) or 1 (B)."
SIDES = {"0": 0, "1": 1}
SHOWN = 40


def _read_side(value: Any) -> int | None:
    if is_blank(value):
        return None
    if isinstance(value, bool) or str(value).strip() not in SIDES:
        raise ValueError(f"is “{value!s:.{SHOWN}}”; it must be 0 or 1.")
    return SIDES[str(value).strip()]


def _read_name(value: Any) -> str:
    return read_text(value).lower()


COLUMNS = (
    UploadedColumn(name=EXAMPLE, help="Its number or its id.", read=_read_name),
    *(
        UploadedColumn(name=name, help=f"The score of {words}.", read=read_number, needed=False)
        for name, words in zip(WIDE, COMBINATIONS, strict=True)
    ),
    *(UploadedColumn(name=name, help=SIDE, read=_read_side, needed=False) for name in LONG[:2]),
    UploadedColumn(name=LONG[2], help="The score of these two.", read=read_number, needed=False),
)
ANY_OF = (WIDE, LONG)


@dataclass(frozen=True, kw_only=True)
class KnownExamples(Subjects):
    """Examples by number and by id: those that can be scored, and why others cannot."""

    examples: dict[str, int]
    others: Mapping[str, str]

    def find(self, name: str) -> int:
        if name in self.examples:
            return self.examples[name]
        if name in self.others:
            words = f"is {self.others[name]}. Only those that workers are asked about are scored."
            raise ValueError(f"example {name} {words}")
        raise ValueError(f"there is no example “{name:.{SHOWN}}”. Give its number or its id.")


def read_row(cells: Mapping[str, Any], known: KnownExamples) -> Iterator[tuple[tuple[int, int], float]]:
    """Scores by example and place. Empty cells of an example say that the model has none."""
    example = known.find(cells[EXAMPLE])
    for place, value in _values(cells):
        yield (example, place), value


def say_called(cells: Mapping[str, Any], key: tuple[int, int]) -> str:
    return f"{WIDE[key[1]]} of example {cells[EXAMPLE]}"


def check_whole(found: Mapping[tuple[int, int], float], known: KnownExamples, problems: Problems) -> None:
    """Report each example that has some of its four scores and lacks others."""
    names = {pk: name for name, pk in reversed(known.examples.items())}
    for example in dict.fromkeys(example for example, _ in found):
        lacking = [name for place, name in enumerate(WIDE) if (example, place) not in found]
        if lacking:
            words = ", ".join(lacking)
            problems.say(f"Example {names[example]}: add {words}, or leave the example out.")


def _values(cells: Mapping[str, Any]) -> list[tuple[int, float]]:
    given = [cells[name] for name in LONG]
    if any(value is not None for value in given):
        caption, image, score = given
        if None in given:
            raise ValueError(f"give all of {', '.join(LONG)}.")
        return [(PLACES.index((caption, image)), score)]
    return [(place, cells[name]) for place, name in enumerate(WIDE) if cells[name] is not None]
