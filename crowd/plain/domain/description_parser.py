"""Reading of a description as a page; each fault has its line and the reason."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from crowd.plain.domain.lines import Fault, Reader
from crowd.plain.domain.pages import MOST_QUESTIONS, SHOWN, Page, Part
from crowd.plain.domain.part_checks import finish_part
from crowd.plain.domain.texts import column_name
from crowd.questions.domain import is_unfit

MOST_LETTERS = 20_000
LONGEST_TITLE = 120


@dataclass(frozen=True, kw_only=True)
class ParsedPage:
    """A page as far as it could be read, so that it can be shown while it is written, and its faults."""

    page: Page
    faults: Sequence[Fault]


def tidy(text: str) -> str:
    """The text as it is kept: with one kind of line end, and with spaces for tabs."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")


@lru_cache(maxsize=256)
def read_page(text: str) -> ParsedPage:
    reader = Reader()
    if len(text) > MOST_LETTERS:
        reader.blame(1, f"the description has more than {MOST_LETTERS:,} letters.")
        return ParsedPage(page=Page(title=""), faults=reader.faults)
    for number, line in enumerate(tidy(text).split("\n"), start=1):
        if is_unfit(line):
            reader.blame(number, "there is a character in it that cannot be kept.")
        elif not line.strip():
            reader.end_paragraph()
        elif not line.lstrip().startswith("#"):
            reader.take(number, line.strip())
    _check_title(reader)
    parts = [part for draft in reader.drafts if (part := finish_part(draft, reader))]
    _check_names(parts, reader)
    page = Page(
        title=reader.title[1],
        about=tuple(text for _, text in reader.about),
        kept=tuple(reader.kept),
        parts=tuple(parts),
    )
    page = _with_roles(page, reader)
    return ParsedPage(page=page, faults=sorted(reader.faults, key=lambda fault: fault.line))


def _with_roles(page: Page, reader: Reader) -> Page:
    """The page with what `worked` and `only` say of roles: then its rows are roles, and nothing else."""
    line, said = reader.worked
    column, _, names = (part.strip() for part in said.partition("="))
    roles = tuple(name for part in names.split(",") if (name := " ".join(part.split())))
    if said and (not column_name(column) or "{{" in said):
        reader.blame(line, "“worked:” is followed by a name for the column, as in “worked: role = Solvers”.")
    elif said and set(page.columns) - {column_name(column)}:
        reader.blame(line, "each row of the page is a role, so no other column can be named.")
    for part in page.parts:
        if part.only_role and not said:
            reader.blame(part.line, "“only” names a role, and no line “worked:” asks by roles.")
        elif part.only_role and roles and part.only_role not in roles:
            reader.blame(part.line, f"“{part.only_role}” is none of the roles in line {line}.")
    return replace(page, role_column=column_name(column), roles=roles)


def _check_title(reader: Reader) -> None:
    line, title = reader.title
    if not title:
        reader.blame(line, "the page has no title. Begin with “title:”.")
    elif len(title) > LONGEST_TITLE:
        reader.blame(line, f"the title has more than {LONGEST_TITLE} letters.")
    for place, text in (reader.title, *reader.about):
        if "{{" in text:
            reader.blame(place, "the title and the lines of “about” are above all rows, and name no column.")


def _check_names(parts: Sequence[Part], reader: Reader) -> None:
    known: dict[str, int] = {}
    for part in (part for part in parts if part.kind not in SHOWN):
        if part.name in known:
            reader.blame(part.line, f"a question in line {known[part.name]} has the name “{part.name}”.")
        known.setdefault(part.name, part.line)
    if not known and not reader.faults:
        reader.blame(1, "the page asks nothing. Add a question: text, choice, choices, scale or number.")
    if len(known) > MOST_QUESTIONS:
        reader.blame(1, f"the page has more than {MOST_QUESTIONS} questions.")
