"""What the page of a study's association game shows of annotation."""

from django.db.models import Count, Q
from django.urls import reverse

from crowd.winogavil.admin.panels import PANELS
from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.models import Game
from hits.admin.projects.project_cards import Figure, Panel, Way
from hits.identity.models.users import User


def annotation_panel(game: Game, user: User) -> Panel:
    counts = Annotation.objects.filter(item__study=game.study_id).aggregate(
        all=Count("pk"), final=Count("pk", filter=Q(final_at__isnull=False))
    )
    see = Way(name="Annotations…", url=reverse("admin:winogavil_annotations", args=[game.study_id]))
    return Panel(
        key="annotation",
        title="Annotation",
        about="Selected associations are drawn for people to say of which type they are and what it takes to "
        "see them, and for newcomers to solve.",
        figures=[
            Figure(name="Drawn", count=counts["all"]),
            Figure(name="Final", count=counts["final"], of=counts["all"]),
        ],
        ways=[see],
        tasks=tuple(kind.task for kind in Kind),
        permission="winogavil_annotation.view_annotation",
    )


PANELS.append(annotation_panel)
