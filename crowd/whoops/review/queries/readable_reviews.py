"""Who reads reviews: a reviewer after their own, and a person who decides once somebody objects."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from crowd.whoops.models import Image
from crowd.whoops.models.control_and_review import Review
from hits.identity.models.users import User

CHECK, DECIDE = "whoops.review_image", "whoops.decide_image"
State = Image.State


def may_read(image: Image, reviews: Sequence[Review], user: User) -> bool:
    """Whether this person may read the reviews of an image, all of which are given."""
    own = [one for one in reviews if one.revision == image.revision]
    if image.state != State.REVIEW or not user.has_perm(CHECK) or any(one.by_id == user.pk for one in own):
        return True
    is_full = len(own) >= image.project.reviews_wanted
    return is_full or (user.has_perm(DECIDE) and any(one.is_harmful for one in own))


def readable_reviews(user: User) -> QuerySet[Review]:
    """Reviews of all images for which `may_read` holds."""
    rows = Review.objects.all()
    if not user.has_perm(CHECK):
        return rows
    now: QuerySet[Any] = Review.objects.filter(image=OuterRef("image"), revision=OuterRef("image__revision"))
    count = now.order_by().values("image").annotate(count=Count("pk")).values("count")
    given = Coalesce(Subquery(count, output_field=IntegerField()), 0)
    reads = ~Q(image__state=State.REVIEW) | Q(Exists(now.filter(by=user)))
    reads |= Q(given__gte=F("image__project__reviews_wanted"))
    if user.has_perm(DECIDE):
        reads |= Q(Exists(now.filter(is_harmful=True)))
    return rows.alias(given=given).filter(reads)
