"""Judged data with a known truth: votes are drawn here from a seed, and counted a second time here."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from django.test import Client

from crowd.whoops.models import Annotation, Category, Image, Partner, Project
from crowd.whoops.models.control_and_review import ControlAnswer
from crowd.whoops.models.judged_items import Option, Question
from hits.identity.models.users import User
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models import Score
from tests.crowd.whoops.making_images import make_image, make_project
from tests.factories import NOW, make_account, make_assignment, make_batch, make_hit, make_worker
from tests.people import sign_in_with

Kind = Question.Kind
Variant = Question.Variant


class Crowd:
    """People who each vote on every option, and are right with the given probability."""

    def __init__(self, project: Project, *, people: int, right: float, seed: int) -> None:
        self.project, self.right, self.random = project, right, Random(seed)
        account = make_account()
        hit = make_hit(batch=make_batch(study=project.study, account=account, status="open"))
        self.people = [
            make_assignment(hit=hit, worker=make_worker(account=account), status="submitted")
            for _ in range(people)
        ]

    def vote(self, options: Iterable[tuple[Option, bool]]) -> list[list[bool]]:
        """Cast everybody's vote on each option, the truth or its opposite, and return the votes."""
        said = [
            (option, [truth if self.random.random() < self.right else not truth for _ in self.people])
            for option, truth in options
        ]
        for option, votes in said:
            cast(option, votes, self.people)
        return [votes for _, votes in said]


def cast(option: Option, votes: Sequence[bool], people: Sequence[Assignment]) -> None:
    item = option.question.item
    assert item is not None
    Score.objects.bulk_create(
        Score(
            assignment=person,
            item=item,
            measure=option.measure,
            numerator=int(vote),
            denominator=1,
            scored_at=NOW,
        )
        for person, vote in zip(people, votes, strict=False)
    )


def ask(
    image: Image, kind: str, *, offers: Sequence[tuple[str, bool | None]] = (("", None),), **changes: Any
) -> list[Option]:
    """Make a question that nobody has answered, with one option for each pair of source and label."""
    project = image.project
    values: dict[str, Any] = {
        "key": f"{kind}-{Question.objects.count()}",
        "variant": Variant.WEIRD,
        **changes,
    }
    question = Question.objects.create(
        project=project,
        kind=kind,
        image=image,
        picture=image.picture,
        item=Item.objects.create(study=project.study, task=kind, wanted=project.judges_wanted),
        added_at=NOW,
        **values,
    )
    return [
        Option.objects.create(
            question=question, number=number, text=f"Option {number}", source=source, label=label
        )
        for number, (source, label) in enumerate(offers, start=1)
    ]


def make_results(*, images: int = 3, **rules: Any) -> tuple[Project, list[Image]]:
    project = make_project(**rules)
    return project, [make_image(project, state=Image.State.ACCEPTED) for _ in range(images)]


def annotate(image: Image, number: int = 1, **changes: Any) -> Annotation:
    work = make_assignment(status="submitted")
    values: dict[str, Any] = {
        "caption": f"A fish rides bicycle {number}.",
        "explanation": f"Fish have no legs, reason {number}.",
        "underspecified": "A fish rides something.",
        "worker": work.worker,
        **changes,
    }
    return Annotation.objects.create(image=image, assignment=work, **values)


def look(image: Image, seen: bool | None) -> ControlAnswer:
    """Make the control answer of one more person."""
    work = make_assignment(status="submitted")
    return ControlAnswer.objects.create(
        image=image, revision=image.revision, worker=work.worker, assignment=work, text="A fish.", seen=seen
    )


def partner(image: Image, kind: str, **changes: Any) -> Partner:
    return Partner.objects.create(image=image, kind=kind, picture=image.picture, added_at=NOW, **changes)


def visit(client: Client, project: Project, *permissions: str) -> User:
    """Sign in as a member of the study who has these permissions and may view projects."""
    return sign_in_with(client, "whoops.view_project", *permissions, studies=[project.study])


def make_every_result(project: Project, images: list[Image]) -> None:
    """Fill every table with votes of people who err now and then, and with models of short and long names."""
    crowd = Crowd(project, people=3, right=0.85, seed=5)
    for place, image in enumerate(images):
        Image.objects.filter(pk=image.pk).update(
            category=Category.objects.get_or_create(name=("Physics", "An unsuitable environment")[place % 2])[
                0
            ]
        )
        annotate(image, place)
        partner(image, "normal")
        partner(image, "natural")
        look(image, seen=place % 3 > 0)
        sources = ("people", "designer", "A model with quite a long name")
        offers = [(source, None) for source in sources]
        crowd.vote(
            (option, option.source != sources[2]) for option in ask(image, Kind.EXPLAIN, offers=offers)
        )
        for variant in Variant:
            (caption,) = ask(image, Kind.RATE, offers=(("small", None),), variant=variant)
            crowd.vote([(caption, variant != Variant.WEIRD)])
        for variant in (Variant.WEIRD, Variant.NORMAL):
            label = variant == Variant.WEIRD
            (picture,) = ask(image, Kind.IDENTIFY, offers=(("", label),), variant=variant)
            crowd.vote([(picture, label)])
        crowd.vote(
            (option, place % 4 > 0) for option in ask(image, Kind.VERIFY, offers=(("", place % 4 > 0),))
        )
    ask(images[0], Kind.VERIFY, offers=(("", True),))
