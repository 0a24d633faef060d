"""Parts of a described page."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from crowd.plain.domain.texts import columns_in

MOST_QUESTIONS = 30
LONGEST_ANSWER = 2000


class Kind(StrEnum):
    SAY = "say"
    PICTURE = "picture"
    TEXT = "text"
    CHOICE = "choice"
    CHOICES = "choices"
    SCALE = "scale"
    NUMBER = "number"


# Kinds that are shown and ask nothing.
SHOWN = frozenset({Kind.SAY, Kind.PICTURE})


@dataclass(frozen=True, kw_only=True)
class Option:
    """An option of a question. `code`: its name in files. `label`: what workers read."""

    code: str
    label: str


@dataclass(frozen=True, kw_only=True)
class Part:
    """One line of text, a picture, or a question. What its kind does not have keeps its default."""

    kind: Kind
    line: int
    # A question's name in files, the column that names a picture, or the text itself.
    name: str
    ask: str = ""
    help: str = ""
    is_optional: bool = False
    options: Sequence[Option] = ()
    # Limits of a number.
    least: Decimal | None = None
    most: Decimal | None = None
    is_whole: bool = False
    longest: int = LONGEST_ANSWER
    # The role of the only people who are asked it. Empty: everybody.
    only_role: str = ""

    def is_asked_of(self, role: str) -> bool:
        """Whether people of this role are asked it. An empty role: the page is shown with all of it."""
        return not self.only_role or role in ("", self.only_role)

    @property
    def texts(self) -> list[str]:
        """Texts that may name columns."""
        said = [self.name] if self.kind == Kind.SAY else []
        return [*said, self.ask, self.help, *(option.label for option in self.options)]

    @property
    def columns(self) -> set[str]:
        shown = {self.name} if self.kind == Kind.PICTURE else set()
        return shown.union(*(columns_in(text) for text in self.texts))


@dataclass(frozen=True, kw_only=True)
class Page:
    title: str
    about: Sequence[str] = ()
    # Columns that only files show, by which the researcher knows a row.
    kept: Sequence[str] = ()
    parts: Sequence[Part] = ()
    # The column with the role whose people a row asks, and the roles that may be asked. No role: any.
    role_column: str = ""
    roles: Sequence[str] = ()

    @property
    def questions(self) -> list[Part]:
        return [part for part in self.parts if part.kind not in SHOWN]

    @property
    def pictures(self) -> list[str]:
        """Columns that name a picture."""
        return list(dict.fromkeys(part.name for part in self.parts if part.kind == Kind.PICTURE))

    @property
    def columns(self) -> list[str]:
        """Columns that each row has, in the order of their names."""
        named = set(self.kept).union(*(part.columns for part in self.parts))
        return sorted(named | ({self.role_column} if self.role_column else set()))

    @property
    def takes_rows(self) -> bool:
        """Whether its rows are uploaded; other pages have one row, or one for each role."""
        return bool(self.columns) and not self.role_column
