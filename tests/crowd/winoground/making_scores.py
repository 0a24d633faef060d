"""Factories of examples with the answers that a test states, and of viewers."""

from collections.abc import Sequence
from typing import Any

from crowd.winoground.domain import PLACES, VALIDATE, YES
from crowd.winoground.models import Example, Pairing, Project, Tag
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from scoring.models import Score
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_picture, make_study, make_user

# For each of PLACES: the number of yes answers, and of all answers.
Votes = Sequence[tuple[int, int]]
RIGHT: Votes = ((10, 10), (0, 10), (0, 10), (10, 10))
# Each image has its right caption, but not each caption its right image.
TEXT_ONLY: Votes = ((6, 10), (8, 10), (4, 10), (9, 10))
IMAGE_ONLY: Votes = ((6, 10), (4, 10), (8, 10), (9, 10))
WRONG: Votes = ((5, 10), (5, 10), (5, 10), (5, 10))


def make_project(**changes: Any) -> Project:
    return Project.objects.create(**{"study": changes.pop("study", None) or make_study(), **changes})


def make_example(project: Project, *, tags: Sequence[str] = (), **changes: Any) -> Example:
    """An example with its four items, asked of workers unless a state is given."""
    number = changes.pop("number", project.examples.count() + 1)
    values: dict[str, Any] = {
        "project": project,
        "number": number,
        "author": changes.get("author") or make_user(),
        "state": Example.State.ASKED,
        "caption_0": f"a bird {number} above a boat",
        "caption_1": f"a boat {number} above a bird",
        "image_0": changes.get("image_0") or make_picture(),
        "image_1": changes.get("image_1") or make_picture(),
        "swap": "object",
        "predicates": 1,
        "created_at": NOW,
        "changed_at": NOW,
        "asked_at": NOW,
    }
    example = Example.objects.create(**{**values, **changes})
    example.tags.set([Tag.objects.get_or_create(name=name)[0] for name in tags])
    for caption, image in PLACES:
        item = Item.objects.create(study=project.study, task=VALIDATE, wanted=0)
        Pairing.objects.create(example=example, caption=caption, image=image, item=item)
    return example


def make_voters(project: Project, count: int = 10) -> list[Assignment]:
    """Approved assignments of so many workers; each may answer every example of the project."""
    hit = make_hit(batch=make_batch(study=project.study, status="open", task=VALIDATE))
    return [make_assignment(hit=hit, status="approved") for _ in range(count)]


def answer(example: Example, votes: Votes, voters: Sequence[Assignment]) -> None:
    """Store each combination's votes, yes from the first voters; a combination without votes stays open."""
    pairings = {(one.caption, one.image): one for one in example.pairings.all()}
    leases, scores = [], []
    for place, (yes, answers) in zip(PLACES, votes, strict=True):
        for number, voter in enumerate(voters[:answers]):
            given = {"assignment": voter, "item_id": pairings[place].item_id}
            leases.append(Lease(**given, worker=voter.worker, status="answered", leased_at=NOW, ended_at=NOW))
            scores.append(
                Score(**given, measure=YES, numerator=int(number < yes), denominator=1, scored_at=NOW)
            )
    Lease.objects.bulk_create(leases)
    Score.objects.bulk_create(scores)


def make_answered(project: Project, *votes: Votes, **changes: Any) -> list[Example]:
    """Make one example for each of these votes, with the same voters for all."""
    voters = make_voters(project, max(answers for four in votes for _, answers in four))
    examples = [make_example(project, **changes) for _ in votes]
    for example, four in zip(examples, votes, strict=True):
        answer(example, four, voters)
    return examples


def make_every_score(project: Project) -> None:
    """Make examples of every kind, and one that is open."""
    make_answered(project, *[RIGHT] * 6, TEXT_ONLY, WRONG, tags=("adjective",))
    make_answered(project, RIGHT, RIGHT, IMAGE_ONLY, TEXT_ONLY, swap="relation", tags=("noun",))
    make_answered(project, RIGHT, WRONG, swap="both", predicates=2, is_series=True)
    make_example(project)
