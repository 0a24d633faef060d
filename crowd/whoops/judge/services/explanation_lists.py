"""Lists of people's, designers' and models' explanations, made for each image and asked of workers.

A list that a worker has seen stays as it is: later explanations make a further list of the same image. The
designer's is judged in one text: once a worker has seen it, an edit of it is in no further list.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import SystemRandom

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from crowd.pictures.models import Picture
from crowd.questions.domain import trim
from crowd.whoops import domain
from crowd.whoops.images.services.locks import AT_ONCE
from crowd.whoops.judge.services.posting_questions import never_handed_out, post_questions
from crowd.whoops.models import Annotation, Image, Project
from crowd.whoops.models.judged_items import Option, Question
from hits.core.errors import RuleBroken
from hits.work.models.leases import Lease
from hits.work.services.locking import held

LARGEST_NUMBER = 9_999
LOT = SystemRandom()


@dataclass(frozen=True, kw_only=True)
class Offer:
    """An explanation and its source."""

    source: str
    text: str

    @property
    def key(self) -> tuple[str, str]:
        return self.source, trim(self.text).casefold()


@dataclass(frozen=True, kw_only=True)
class Change:
    """Changes for one image. `question`: the list that no worker has seen yet, if there is one."""

    image: Image
    question: Question | None
    rounds: int
    added: Sequence[Offer] = ()
    removed: Sequence[int] = field(default_factory=tuple)


@dataclass(frozen=True, kw_only=True)
class Lists:
    """The lists of some images, oldest first, and the keys of those that no worker has seen."""

    of: Mapping[int, Sequence[Question]]
    unseen: Collection[int]

    def unseen_of(self, image: Image) -> Question | None:
        own = self.of.get(image.pk, ())
        return next((one for one in reversed(own) if one.pk in self.unseen), None)

    def has_seen_designer(self, image: Image) -> bool:
        """Whether workers have seen the designer's explanation in a list that counts."""
        own = self.of.get(image.pk, ())
        seen = (one for one in own if one.pk not in self.unseen and one.withdrawn_at is None)
        return any(option.source == domain.DESIGNER for one in seen for option in one.options.all())


@dataclass(frozen=True, kw_only=True)
class PlannedQuestions:
    """The lists and explanations that a click would ask."""

    lists: int
    explanations: int
    # Accepted images that lack annotations.
    incomplete: int


def gather_explanations(*, project: Project, incomplete: bool) -> PlannedQuestions:
    changes = list(_changes(project, incomplete=incomplete))
    return PlannedQuestions(
        lists=len(changes),
        explanations=sum(_size(change) for change in changes),
        incomplete=_annotated(project, least=0, most=project.annotations_wanted - 1).count(),
    )


def make_explanations(*, project: Project, incomplete: bool, now: datetime) -> int:
    """Make or change lists, ask them, and return how many. Raises RuleBroken if there is nothing new."""
    with held(project) as locked:
        changes = list(_changes(locked, incomplete=incomplete, holds=True))
        if not changes:
            raise RuleBroken("nothing_new", "There is no explanation that is not asked already.")
        questions = _apply(locked, changes, now=now)
        unasked = [question for question in questions if question.item_id is None]
        post_questions(project=locked, questions=unasked, now=now)
    return len(changes)


def add_offers(*, project: Project, offers: Mapping[Image, Sequence[Offer]], now: datetime) -> int:
    """Keep models' explanations with their images until the lists are asked; return how many are new.

    The caller holds the project.
    """
    lists = lists_of(project, list(offers), holds=True)
    changes = [
        Change(
            image=image,
            question=lists.unseen_of(image),
            rounds=len(lists.of.get(image.pk, ())),
            added=added,
        )
        for image, own in offers.items()
        if (added := new_offers(own, lists.of.get(image.pk, ())))
    ]
    _apply(project, changes, now=now)
    return sum(len(change.added) for change in changes)


def new_offers(offers: Sequence[Offer], lists: Sequence[Question]) -> list[Offer]:
    """Offers that are in no list yet, each once."""
    known = {_offer(option).key for question in lists for option in question.options.all()}
    fresh = {offer.key: offer for offer in reversed(offers) if offer.key not in known}
    return [offer for offer in offers if fresh.get(offer.key) is offer]


def lists_of(project: Project, images: Sequence[Image], *, holds: bool = False) -> Lists:
    """Lists of the images. `holds`: what no worker has seen stays unseen until the transaction ends."""
    rows = Question.objects.filter(project=project, kind=Question.Kind.EXPLAIN, image__in=images)
    handed = Exists(Lease.objects.filter(item=OuterRef("item")))
    unseen = never_handed_out(rows) if holds else rows.filter(~handed)
    lists: defaultdict[int, list[Question]] = defaultdict(list)
    for question in rows.order_by("pk").prefetch_related("options"):
        lists[question.image_id or 0].append(question)
    return Lists(of=lists, unseen=set(unseen.filter(withdrawn_at=None).values_list("pk", flat=True)))


def _changes(project: Project, *, incomplete: bool, holds: bool = False) -> Iterator[Change]:
    least = 1 if incomplete else project.annotations_wanted
    images = list(_annotated(project, least=least).order_by("number"))
    standing = _standing(images)
    lists = lists_of(project, images, holds=holds)
    for image in images:
        own, offers, unseen = lists.of.get(image.pk, ()), standing[image.pk], lists.unseen_of(image)
        if lists.has_seen_designer(image):
            offers = [offer for offer in offers if offer.source != domain.DESIGNER]
        kept = {offer.key for offer in offers}
        options = unseen.options.all() if unseen else ()
        gone = [one.pk for one in options if one.source in domain.OURS and _offer(one).key not in kept]
        added = new_offers(offers, own)
        if added or gone or (unseen and unseen.item_id is None):
            yield Change(image=image, question=unseen, rounds=len(own), added=added, removed=gone)


def _annotated(project: Project, *, least: int, most: int = 30_000) -> QuerySet[Image]:
    """Accepted and shown images with `least` to `most` annotations that count."""
    accepted = project.images.filter(state=Image.State.ACCEPTED, picture__status=Picture.Status.FIT)
    counted = Count("annotations", filter=Q(annotations__state=Annotation.State.COUNTED))
    return accepted.annotate(counted=counted).filter(counted__gte=least, counted__lte=most)


def _standing(images: Sequence[Image]) -> dict[int, list[Offer]]:
    """Explanations by people and designers that count now, for each image."""
    standing = {image.pk: [Offer(source=domain.DESIGNER, text=image.final_explanation)] for image in images}
    rows = Annotation.objects.filter(image__in=images, state=Annotation.State.COUNTED).order_by("pk")
    for image_id, text in rows.values_list("image", "explanation"):
        standing[image_id].append(Offer(source=domain.PEOPLE, text=text))
    return standing


def _offer(option: Option) -> Offer:
    return Offer(source=option.source, text=option.text)


def _size(change: Change) -> int:
    kept = change.question.options.all() if change.question else ()
    return len(kept) - len(change.removed) + len(change.added)


def _apply(project: Project, changes: Sequence[Change], *, now: datetime) -> list[Question]:
    """Write the changes, and return all lists concerned, new ones included."""
    new = {
        change.image.pk: Question(
            project=project,
            kind=Question.Kind.EXPLAIN,
            key=f"{change.image.number}-{change.rounds + 1}",
            image=change.image,
            picture_id=change.image.picture_id,
            added_at=now,
        )
        for change in changes
        if change.question is None
    }
    Question.objects.bulk_create(new.values(), batch_size=AT_ONCE)
    Option.objects.filter(pk__in=[pk for change in changes for pk in change.removed]).delete()
    questions = [change.question or new[change.image.pk] for change in changes]
    Option.objects.bulk_create(
        (
            Option(question=question, number=number, source=offer.source, text=offer.text)
            for question, change in zip(questions, changes, strict=True)
            for number, offer in zip(_numbers(change), change.added, strict=True)
        ),
        batch_size=AT_ONCE,
    )
    return questions


def _numbers(change: Change) -> Sequence[int]:
    """Random numbers, as the page shows them: neither order nor source may be read from them."""
    taken = {option.number for option in change.question.options.all()} if change.question else set()
    wanted = len(change.added)
    drawn = LOT.sample(range(1, LARGEST_NUMBER + 1), len(taken) + wanted)
    return [number for number in drawn if number not in taken][:wanted]
