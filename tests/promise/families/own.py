"""Questions of one's own: majorities, which are counted whenever they are read."""

from collections import Counter
from collections.abc import Iterator, Mapping

from crowd.plain.domain import ASK
from crowd.plain.models import Description, Project
from crowd.plain.queries.results import AnsweredRow, answered_rows, said_of
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.models.leases import Lease
from tests.crowd.plain.making import add_sentences, ask, describe
from tests.promise.families.given import Ask, Given, differing

# Codes of the options by their numbers on the page.
CODES = {"1": "yes", "2": "no"}


def ask_rows(study: Study, author: Worker) -> None:
    project, is_new = Project.objects.get_or_create(study=study, defaults={"answers_wanted": 3})
    if is_new:
        describe(project)
    add_sentences(project, f"Sentence {project.descriptions.get().rows.count()}")
    ask(project)


ASKS: Mapping[str, Ask] = {ASK: ask_rows}


def found() -> Iterator[str]:
    yield from (
        "a majority" for _ in Lease.objects.filter(item__plain_row__isnull=False, status="answered")[:1]
    )


def disagreements(given: Given) -> Iterator[str]:
    for row in _rows():
        said = given.get(row.row.item_id or 0, [])
        told = [(one.worker_id, one.assignment_id, one.raw["q1"]) for one in row.given]
        there = [(one.worker, one.work, one.raw["q1"]) for one in said]
        yield from differing(f"row {row.row.pk}", told, there, whole=True)
        counts = Counter(CODES[one.raw["q1"]] for one in said)
        most = {code for code, votes in counts.items() if votes == max(counts.values())}
        part = row.row.description.page.questions[0]
        result = said_of(part, row.answers)
        if set(result.leaders) != most or result.answers != len(said):
            yield f"row {row.row.pk} says {result}, and the answers {dict(counts)}"


def _rows() -> Iterator[AnsweredRow]:
    for description in Description.objects.all():
        yield from answered_rows(description)
