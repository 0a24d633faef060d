"""Card about annotation on the page of a study's association game."""

from django.db.models import Count, Q
from django.urls import reverse

from crowd.winogavil.admin.cards import add_card
from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.models import Game
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.identity.models.users import User


def annotation_card(game: Game, user: User) -> Card:
    counts = Annotation.objects.filter(item__study=game.study_id).aggregate(
        all=Count("pk"), final=Count("pk", filter=Q(final_at__isnull=False))
    )
    see = CardLink(name="Annotations…", url=reverse("admin:winogavil_annotations", args=[game.study_id]))
    return Card(
        key="annotation",
        title="Annotation",
        about="Selected associations are drawn for people to say of which type they are and what it takes to "
        "see them, and for newcomers to solve.",
        metrics=[
            Metric(name="Drawn", count=counts["all"]),
            Metric(name="Final", count=counts["final"], of=counts["all"]),
        ],
        links=[see],
        tasks=tuple(kind.task for kind in Kind),
        permission="winogavil_annotation.view_annotation",
    )


add_card(annotation_card, place=10)
