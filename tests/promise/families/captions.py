"""Caption matching: votes on each caption with each image, which are counted whenever they are read."""

from collections.abc import Iterator, Mapping

from crowd.winoground.domain import PLACES, VALIDATE
from crowd.winoground.models import Example, Pairing, Project
from crowd.winoground.queries.scoring import votes_of
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from scoring.models import Score
from tests.crowd.winoground.making_asked import ask
from tests.promise.families.given import Ask, Given

ANSWERS = 2


def ask_pairings(study: Study, author: Worker) -> None:
    """Ask about all four pairings of an example; a worker who judged one is soon asked about another."""
    rules = {"answers_wanted": ANSWERS, "apart": Project.Apart.GAP, "least_gap": 1}
    project, _ = Project.objects.get_or_create(study=study, defaults=rules)
    ask(project)


ASKS: Mapping[str, Ask] = {VALIDATE: ask_pairings}


def found() -> Iterator[str]:
    yield from ("a match" for _ in Score.objects.filter(item__winoground_pairing__isnull=False)[:1])


def disagreements(given: Given) -> Iterator[str]:
    for project in Project.objects.all():
        counted = votes_of(project)
        for example in project.examples.order_by("pk"):
            votes = [(one.yes, one.answers) if one else (0, 0) for one in counted[example.pk]]
            said = _said(example, given)
            if votes != said:
                yield f"example {example.pk} has the votes {votes}, and {said} were given"


def _said(example: Example, given: Given) -> list[tuple[int, int]]:
    """The number of people who said yes to each of the four pairings, and of all who answered it."""
    items = {(one.caption, one.image): one.item_id or 0 for one in Pairing.objects.filter(example=example)}
    answers = [given.get(items[place], []) for place in PLACES]
    return [(sum(one.raw["match"] == "yes" for one in some), len(some)) for some in answers]
