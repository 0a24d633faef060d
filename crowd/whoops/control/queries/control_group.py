"""Items that a worker of the control group may be asked about."""

from django.db.models import Exists, OuterRef, QuerySet

from crowd.whoops.models import Annotation, Image, Revision
from hits.work.models.items import Item
from hits.work.models.leases import Lease


def unknown_to(items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
    """Control-group items whose image this worker neither made nor was shown before.

    An accepted image may come back to the control group, so its annotators and judges are excluded too.
    """
    own = Image.objects.filter(pk=OuterRef("whoops_revision__image"), designer__worker=worker_id)
    handed = Lease.objects.filter(item=OuterRef("control_item"), worker=worker_id)
    earlier = Revision.objects.filter(
        Exists(handed),
        image=OuterRef("whoops_revision__image"),
        number__lt=OuterRef("whoops_revision__number"),
    )
    wrote = Annotation.objects.filter(image=OuterRef("whoops_revision__image"), worker=worker_id)
    judged = Lease.objects.filter(
        item__whoops_question__image=OuterRef("whoops_revision__image"), worker=worker_id
    )
    return items.filter(~Exists(own), ~Exists(earlier), ~Exists(wrote), ~Exists(judged))
