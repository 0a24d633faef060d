"""Workers who may annotate an image, and images that need annotations."""

from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Greatest

from crowd.pictures.models import Picture
from crowd.whoops import domain
from crowd.whoops.models import Annotation, Designer, Image, Revision
from crowd.whoops.models.control_and_review import ControlAnswer
from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease

State = Image.State
DROPPED = Annotation.State.DROPPED


def images_for_annotator(worker_id: int) -> QuerySet[Image]:
    """Images that this worker may annotate: accepted, shown, and new to them.

    Excluded are images that they made, met in the control group, annotated or judged: a worker who read
    what others say of an image would say the same.
    """
    own = Designer.objects.filter(pk=OuterRef("designer"), worker=worker_id)
    controlled = Lease.objects.filter(item__whoops_revision__image=OuterRef("pk"), worker=worker_id)
    saw = ControlAnswer.objects.filter(image=OuterRef("pk"), worker=worker_id)
    wrote = Annotation.objects.filter(image=OuterRef("pk"), worker=worker_id)
    judged = Lease.objects.filter(item__whoops_question__image=OuterRef("pk"), worker=worker_id)
    shown = Image.objects.filter(state=State.ACCEPTED, picture__status=Picture.Status.FIT)
    return shown.filter(~Exists(own), ~Exists(controlled), ~Exists(saw), ~Exists(wrote), ~Exists(judged))


def images_to_post() -> QuerySet[Image]:
    """Images whose annotation item is out of date: accepted and not asked yet, or sent again since annotated.

    An image that is merely reconsidered may be with the control group too: its annotations stay valid.
    """
    unasked = Q(state=State.ACCEPTED, annotation_item=None)
    since = Revision.objects.filter(
        image=OuterRef("pk"), number=OuterRef("revision"), sent_at__gte=OuterRef("accepted_at")
    )
    sent_again = Q(Exists(since), state=State.CONTROL, annotation_item__isnull=False)
    return Image.objects.filter(unasked | sent_again)


def images_to_count() -> tuple[QuerySet[Image], ...]:
    """Images to count, in one queryset per reason.

    An answer is not taken yet; too few or too many answers are asked for; or enough are there and some are
    still asked for.
    """
    wanted = F("project__annotations_wanted")
    accepted = Image.objects.filter(state=State.ACCEPTED, annotation_item__isnull=False)
    there = Coalesce(Subquery(_answers_per_item()), 0)
    open_ones = accepted.filter(annotated__lt=wanted)
    unlike = open_ones.alias(lacking=Greatest(Value(0), wanted - there))
    return (
        open_ones.filter(Exists(_untaken())),
        unlike.filter(~Q(annotation_item__wanted=F("lacking"))),
        accepted.filter(
            annotated__gte=wanted,
            annotation_item__task=domain.ANNOTATE,
            annotation_item__batch=None,
            annotation_item__wanted__gt=0,
            annotation_item__pulled_at=None,
        ),
    )


def is_dropped() -> Q:
    """Match leases whose annotation was dropped, so that another worker is asked."""
    dropped = Annotation.objects.filter(
        image__annotation_item=OuterRef("item"), worker=OuterRef("worker"), state=DROPPED
    )
    return Q(Exists(dropped))


def _untaken() -> QuerySet[Lease]:
    taken = Annotation.objects.filter(image=OuterRef(OuterRef("pk")), worker=OuterRef("worker"))
    answered = Lease.objects.filter(
        item=OuterRef("annotation_item"),
        status=Lease.Status.ANSWERED,
        assignment__status__in=Assignment.COUNTING,
        assignment__kept_out=False,
        assignment__answer__isnull=False,
    )
    return answered.filter(~Exists(taken))


def _answers_per_item() -> QuerySet[Any, Any]:
    leases = Lease.objects.filter(item=OuterRef("annotation_item")).exclude(status=Lease.Status.RELEASED)
    counted = leases.exclude(is_dropped()).order_by().values("item").annotate(count=Count("pk"))
    return counted.values("count")
