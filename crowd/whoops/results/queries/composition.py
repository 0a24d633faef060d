"""The composition of the data, and how images came into them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from crowd.pictures.models import Picture
from crowd.whoops import domain
from crowd.whoops.annotate.domain.annotation_texts import CAPTION, EXPLANATION, TEXTS, UNDERSPECIFIED
from crowd.whoops.annotate.domain.text_lengths import Lengths, lengths_of
from crowd.whoops.control.domain.control_verdicts import Verdict, verdict_of
from crowd.whoops.judge.domain.votes import Share
from crowd.whoops.models import Annotation, Image, Project, Revision
from crowd.whoops.models.control_and_review import ControlAnswer, Review
from hits.batches.queries.work_times import EFFECTIVE_S
from hits.core.domain.money import round_to_cents
from hits.core.domain.wages import hourly_wage
from hits.work.models.assignments import Assignment

State = Image.State
NAMES = {CAPTION: "Captions", EXPLANATION: "Explanations", UNDERSPECIFIED: "Underspecified captions"}
TASKS = (domain.DESIGN, domain.CONTROL, domain.ANNOTATE, domain.EXAMPLES, *domain.JUDGED)


@dataclass(frozen=True, kw_only=True)
class PassShares:
    """Shares of what images passed or failed on their way into the data."""

    # Revisions that passed, of those whose control group has decided.
    passed: Share
    # Control answers that saw what is weird, of all decided ones.
    seen: Share
    # Revisions that went back to their designer, of all that were decided.
    returned: Share
    # Reviews that object, of all reviews; and images with an objection, of all reviewed ones.
    objections: Share
    objected: Share


@dataclass(frozen=True, kw_only=True)
class FilterShare:
    """One text filter in one version: the annotations it found something in, and alone did."""

    name: str
    version: str
    found: Share
    alone: int


@dataclass(frozen=True, kw_only=True)
class TaskPay:
    """The hourly pay of one task's approved work, before bonuses."""

    task: str
    approved: int
    hourly: Decimal | None


def accepted_images(project: Project) -> QuerySet[Image]:
    """Accepted images that are in the data; an image whose picture was taken away is not."""
    return project.images.filter(state=State.ACCEPTED, picture__status=Picture.Status.FIT)


def counts_by(images: QuerySet[Image], field: str) -> list[tuple[str, int]]:
    """Count images by the values of a field, the most frequent first."""
    counted = images.order_by().values_list(field).annotate(n=Count("pk"))
    return sorted(((name or "", n) for name, n in counted), key=lambda row: (-row[1], row[0]))


def annotations_each(project: Project) -> Mapping[int, int]:
    """The number of accepted images for each number of counted annotations."""
    counted = Count("annotations", filter=Q(annotations__state=Annotation.State.COUNTED))
    found: dict[int, int] = {}
    for n in accepted_images(project).order_by().annotate(n=counted).values_list("n", flat=True):
        found[n] = found.get(n, 0) + 1
    return dict(sorted(found.items()))


def counted_annotations(project: Project) -> QuerySet[Annotation]:
    counted = Annotation.objects.filter(state=Annotation.State.COUNTED)
    return counted.filter(image__in=accepted_images(project))


def text_lengths(project: Project) -> Mapping[str, Lengths]:
    rows = list(counted_annotations(project).values_list(*TEXTS))
    return {NAMES[name]: lengths_of(row[place] for row in rows) for place, name in enumerate(TEXTS)}


def filtered_texts(project: Project) -> Mapping[str, Share]:
    """The share of all annotations in which the word filter found something, for each of the three texts."""
    flags = list(Annotation.objects.filter(image__project=project).values_list("flags", flat=True))
    return {
        NAMES[name]: Share(
            right=sum(any(str(flag).startswith(f"{name}:") for flag in own) for own in flags), of=len(flags)
        )
        for name in TEXTS
    }


def filter_verdicts(project: Project) -> Sequence[FilterShare]:
    """How often each filter, in each version, found something, and found what no other did."""
    rows = Annotation.objects.filter(image__project=project).values_list("filtered_by", flat=True)
    read: Counter[tuple[str, str]] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    alone: Counter[tuple[str, str]] = Counter()
    for verdicts in rows:
        finders = [(one["name"], one["version"]) for one in verdicts if one["found"]]
        read.update((one["name"], one["version"]) for one in verdicts)
        found.update(finders)
        alone.update(finders if len(finders) == 1 else ())
    return [
        FilterShare(name=key[0], version=key[1], found=Share(right=found[key], of=count), alone=alone[key])
        for key, count in sorted(read.items())
    ]


def way_of(project: Project) -> PassShares:
    """Compute all shares of a project in three queries."""
    seen, missed = Q(seen=True), Q(seen=False)
    groups = (
        _control_answers(project)
        .values("image", "revision")
        .annotate(yes=Count("pk", filter=seen), no=Count("pk", filter=missed))
    )
    rows = list(groups)
    ended = [row for row in rows if _is_decided(project, row)]
    reviews = Review.objects.filter(image__project=project).order_by()
    by_image = reviews.values("image").annotate(n=Count("pk"), bad=Count("pk", filter=Q(is_harmful=True)))
    looked = list(by_image)
    ends = Revision.objects.filter(image__project=project).exclude(outcome=Revision.Outcome.NONE)
    outcomes = dict(ends.order_by().values_list("outcome").annotate(Count("pk")))
    return PassShares(
        passed=Share(right=sum(row["yes"] >= project.control_needed for row in ended), of=len(ended)),
        seen=Share(right=sum(row["yes"] for row in rows), of=sum(row["yes"] + row["no"] for row in rows)),
        returned=Share(right=outcomes.get(Revision.Outcome.RETURNED, 0), of=sum(outcomes.values())),
        objections=Share(right=sum(row["bad"] for row in looked), of=sum(row["n"] for row in looked)),
        objected=Share(right=sum(row["bad"] > 0 for row in looked), of=len(looked)),
    )


def _control_answers(project: Project) -> QuerySet[ControlAnswer]:
    return ControlAnswer.objects.filter(image__project=project).order_by()


def _is_decided(project: Project, row: Mapping[str, Any]) -> bool:
    """Whether no answer still to come can change the control group's verdict."""
    verdict = verdict_of(
        seen=row["yes"], missed=row["no"], wanted=project.control_wanted, needed=project.control_needed
    )
    return verdict is not Verdict.OPEN


def paid_by_task(project: Project) -> Sequence[TaskPay]:
    """Hourly pay by task, over approved work whose time is known."""
    work = Assignment.objects.filter(
        hit__batch__study=project.study_id,
        hit__batch__task__in=TASKS,
        status=Assignment.Status.APPROVED,
        kept_out=False,
    )
    timed = work.annotate(seconds=EFFECTIVE_S).filter(seconds__gt=0)
    counted = (
        timed.order_by()
        .values("hit__batch__task")
        .annotate(approved=Count("pk"), reward=Sum("hit__batch__reward"), all_s=Sum("seconds"))
    )
    found = {row["hit__batch__task"]: row for row in counted}
    return [
        TaskPay(
            task=task,
            approved=found[task]["approved"],
            hourly=hourly_wage(reward=round_to_cents(found[task]["reward"]), seconds=found[task]["all_s"]),
        )
        for task in TASKS
        if task in found
    ]
