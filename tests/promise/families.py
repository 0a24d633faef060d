"""What families ask about in the world, how their pages are filled in, and what must come of the answers."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import count

from crowd.whoops import domain as whoops
from crowd.whoops.models import Annotation as Text
from crowd.whoops.models import Image
from crowd.whoops.models import Project as Images
from crowd.whoops.services.posting_annotations import post_annotations
from crowd.winogavil import domain as winogavil
from crowd.winogavil.annotation import domain as labels
from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.models import Association
from crowd.winoventi import domain as winoventi
from crowd.winoventi.models import Alternative, Generic
from crowd.winoventi.models import Project as Exceptions
from crowd.winoventi.services.opening import open_project
from crowd.winoventi.services.posting import advance_steps
from hits.models import Assignment, Item, Lease, Study
from hits.services.answers import COUNTING, on_their_way
from scoring.models import Score
from tests.crowd.whoops.making_annotations import make_image
from tests.crowd.whoops.making_questions import bring_in
from tests.crowd.winogavil.annotation.annotators import draw, make_selected
from tests.crowd.winoventi.rows import make_generic
from tests.factories import NOW, make_association
from tests.sent_forms import Sent, read_form

_numbers = count(1)
# What is typed, by the end of a field's name. What is ticked is whatever comes first.
TYPED = {
    "exception_1": "sweet",
    "caption": "A kettle pours sand into a cup.",
    "explanation": "Kettles boil water for tea, and nobody drinks sand.",
    "underspecified": "A kettle pours something into a cup.",
}


def ask_solving(study: Study) -> None:
    make_association(study=study)


def ask_types(study: Study) -> None:
    """The association itself was solved elsewhere: nobody is asked to solve it here."""
    made = make_selected(study)
    draw(study, Kind.TYPES)
    Item.objects.filter(association=made).update(pulled_at=NOW)


def ask_exceptions(study: Study) -> None:
    project = Exceptions.objects.filter(study=study).first() or open_project(study=study)
    project.steps.update(by_itself=True)
    make_generic(project, noun=f"noun{next(_numbers)}", rank=1)
    advance_steps(now=NOW)


def ask_annotations(study: Study) -> None:
    make_image(_images(study))
    post_annotations(now=NOW)


def ask_judgements(study: Study) -> None:
    image = make_image(_images(study))
    row = f"{image.number},What pours number {image.number}?,A kettle,machine"
    bring_in(image.project, whoops.VERIFY, f"image,question,answer,source\n{row}\n")


ASKS: Mapping[str, Callable[[Study], None]] = {
    winogavil.SOLVE: ask_solving,
    labels.TYPES: ask_types,
    winoventi.EXCEPTIONS: ask_exceptions,
    whoops.ANNOTATE: ask_annotations,
    whoops.VERIFY: ask_judgements,
}
# So many answers each of their items is to have.
NEEDED = {**dict.fromkeys(ASKS, 3), winoventi.EXCEPTIONS: 1}


def filled(form: str) -> Sent:
    """As a worker fills it in: two boxes at most, one option of each choice, and the words above."""
    sent: Sent = {}
    for name, control in read_form(form).controls.items():
        if control.kind == "checkbox":
            sent[name] = control.options[:2]
        elif control.kind == "radio":
            sent[name] = control.options[:1]
        elif "-seen-" in name:
            sent[name] = ["yes"]
        else:
            sent[name] = control.values if control.kind == "hidden" else [_typed(name)]
    return sent


def finding_disagreements() -> list[str]:
    """After the sweeps' last round: what each family has found is what the answers that count say."""
    given = _given()
    return [*_associations(given), *_labels(given), *_exceptions(given), *_texts(given), *_votes()]


def found_by_families() -> Iterator[str]:
    """What there is to compare: a net that catches nothing must be seen to hang in water."""
    yield from ("an association" for _ in Association.objects.filter(solutions__assignment__isnull=False)[:1])
    yield from ("an annotation" for _ in Annotation.objects.filter(final_at__isnull=False)[:1])
    yield from ("an exception" for _ in Alternative.objects.all()[:1])
    yield from ("a text" for _ in Text.objects.all()[:1])
    yield from ("a vote" for _ in Score.objects.filter(item__whoops_question__isnull=False)[:1])


def _given() -> Mapping[int, set[int]]:
    """The workers of the answers that count, by item."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    counting = Lease.objects.filter(
        status=Lease.Status.ANSWERED, assignment__status__in=COUNTING, assignment__kept_out=False
    )
    for item, worker in counting.filter(assignment__answer__isnull=False).values_list("item_id", "worker_id"):
        found[item].add(worker)
    return found


def _associations(given: Mapping[int, set[int]]) -> Iterator[str]:
    """But for those that were solved elsewhere."""
    for one in Association.objects.exclude(solutions__assignment=None, solutions__isnull=False):
        found = set(one.solutions.values_list("worker_id", flat=True))
        yield from _compare(f"association {one.pk}", one.item_id, given, found, is_final=bool(one.final_at))


def _labels(given: Mapping[int, set[int]]) -> Iterator[str]:
    for one in Annotation.objects.all():
        found = set(one.judgements.values_list("worker_id", flat=True))
        yield from _compare(f"annotation {one.pk}", one.item_id, given, found, is_final=bool(one.final_at))


def _compare(
    name: str, item: int, given: Mapping[int, set[int]], found: set[int], *, is_final: bool
) -> Iterator[str]:
    """Final by three answers that count; one that came late may be beside them."""
    there = given.get(item, set())
    is_ripe = len(there) >= 3 and not Item.objects.get(pk=item).wanted
    if is_final != is_ripe or not found <= there or (is_final and len(found) < 3):
        yield f"{name} is final: {is_final}, by {sorted(found)} of {sorted(there)}"


def _exceptions(given: Mapping[int, set[int]]) -> Iterator[str]:
    for one in Generic.objects.filter(item__isnull=False):
        there = given.get(one.item_id or 0, set())
        waits = Item.objects.get(generic=one).wanted or on_their_way().filter(item=one.item_id).exists()
        if one.worker_id is None and there and not waits:
            yield f"generic {one.pk} has no answer, and {sorted(there)} have answered"
        words = one.alternatives.exclude(state=Alternative.State.WITHDRAWN)
        found = {*words.values_list("worker_id", flat=True), *([one.worker_id] if one.worker_id else [])}
        if not found <= there:
            yield f"generic {one.pk} is answered by {sorted(found)}, and {sorted(there)} count"


def _texts(given: Mapping[int, set[int]]) -> Iterator[str]:
    for image in Image.objects.filter(annotation_item__isnull=False):
        rows = Text.objects.filter(image=image).exclude(state=Text.State.DROPPED)
        found = set(rows.values_list("worker_id", flat=True))
        there = given.get(image.annotation_item_id or 0, set())
        if not found <= there or not min(3, len(there)) <= len(found) == image.annotated:
            yield f"image {image.pk} has {image.annotated} texts, by {sorted(found)} of {sorted(there)}"


def _votes() -> Iterator[str]:
    """Of judged questions each answer is a vote for each option, once it is judged."""
    for work in Assignment.objects.filter(judged_at__isnull=False, hit__batch__task__in=whoops.JUDGED):
        served = work.leases.filter(status=Lease.Status.ANSWERED).values_list("item_id", flat=True)
        voted = Score.objects.filter(assignment=work).values_list("item_id", flat=True)
        if not set(served) <= set(voted):
            yield f"work {work.pk} answered {sorted(served)} and voted on {sorted(voted)}"


def _images(study: Study) -> Images:
    return Images.objects.get_or_create(study=study, defaults={"annotations_wanted": 3})[0]


def _typed(name: str) -> str:
    return next((text for end, text in TYPED.items() if name.endswith(f"-{end}")), "")
