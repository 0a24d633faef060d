"""Items that a worker may judge: never about their own work, nor about what they know from another side."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from crowd.whoops.models import Annotation, Image, Revision
from crowd.whoops.models.control_and_review import ControlAnswer
from crowd.whoops.models.judged_items import Question
from hits.work.models.items import Item
from hits.work.models.leases import Lease


def not_own(items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
    """Items about images that this worker neither designed nor was given to annotate."""
    return _without(items, images=Image.objects.filter(_made_by(worker_id)))


def never_met(items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
    """Items about images that this worker has met in no task at all, partners included."""
    seen = _seen_by(worker_id)
    met = (
        _made_by(worker_id)
        | Q(pk__in=Revision.objects.filter(control_item__in=seen).values("image"))
        | Q(pk__in=ControlAnswer.objects.filter(worker=worker_id).values("image"))
        | Q(control_item__in=seen)
        | Q(pk__in=Question.objects.filter(item__in=seen, image__isnull=False).values("image"))
    )
    return _without(items, images=Image.objects.filter(met))


def no_other_side(items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
    """Items whose other side this worker was never given: the same question with another answer."""
    handed = Lease.objects.filter(item=OuterRef("item"), worker=worker_id)
    return items.filter(~Exists(_other_sides().filter(Exists(handed))))


def one_side_each(items: QuerySet[Item]) -> QuerySet[Item]:
    """Items such that no page has both sides of a question: of the free ones, the one posted first."""
    free = _other_sides().filter(item__lt=OuterRef("pk"), item__wanted__gt=0, item__pulled_at=None)
    return items.filter(~Exists(free))


def _other_sides() -> QuerySet[Question]:
    """Other questions that say the same as an item's: on its image or the partner, or with another answer."""
    return Question.objects.filter(
        ~Q(item=OuterRef("pk")),
        project=OuterRef("whoops_question__project"),
        kind=OuterRef("whoops_question__kind"),
        image=OuterRef("whoops_question__image"),
        text=OuterRef("whoops_question__text"),
        item__isnull=False,
    )


def _made_by(worker_id: int) -> Q:
    return (
        Q(designer__worker=worker_id)
        | Q(annotation_item__in=_seen_by(worker_id))
        | Q(pk__in=Annotation.objects.filter(worker=worker_id).values("image"))
    )


def _seen_by(worker_id: int) -> QuerySet[Lease, int]:
    return Lease.objects.filter(worker=worker_id).values_list("item", flat=True)


def _without(items: QuerySet[Item], *, images: QuerySet[Image]) -> QuerySet[Item]:
    about = Question.objects.filter(image__in=images.values("pk"), item__isnull=False)
    return items.exclude(pk__in=about.values("item"))
