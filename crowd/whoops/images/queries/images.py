"""Images with their counts, in one query."""

from django.db.models import Count, F, Q, QuerySet

from crowd.whoops.models import Image, Project

State = Image.State
OWN_REVIEW = Q(reviews__revision=F("revision"))
HARMFUL = Q(reviews__revision=F("revision"), reviews__is_harmful=True)


def with_reviews(images: QuerySet[Image]) -> QuerySet[Image]:
    """Add `reviews_given` and `objections`, both about the revision that was sent last."""
    return images.annotate(
        reviews_given=Count("reviews", filter=OWN_REVIEW, distinct=True),
        objections=Count("reviews", filter=HARMFUL, distinct=True),
    )


def waiting_for_decision(project: Project) -> QuerySet[Image]:
    """Images that a person has to decide: a reviewer objects, or all have reviewed and nothing followed."""
    rows = with_reviews(project.images.filter(state=State.REVIEW))
    return rows.filter(Q(objections__gt=0) | Q(reviews_given__gte=project.reviews_wanted))


def count_states(project: Project) -> dict[str, int]:
    counted = project.images.order_by().values_list("state").annotate(Count("pk"))
    return dict.fromkeys(State.values, 0) | dict(counted)
