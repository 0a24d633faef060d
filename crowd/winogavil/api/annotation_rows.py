"""What people said of selected associations, and the draws that chose them."""

from typing import Any

from django.db.models import Prefetch, QuerySet
from rest_framework import serializers

from crowd.winogavil.annotation.admin.annotations import TAKING_BACK, with_untouched
from crowd.winogavil.annotation.models import Annotation, Draw, Judgement, Kind
from hits.api.filters import Filters
from hits.api.listings import JSON, Listing
from hits.api.verbs import Verb
from hits.datasets.columns import FLAG, INTEGER, MOMENT, ROWS, TEXT, TEXTS, column, user_column
from hits.identity.api_tokens import Scope
from hits.work.queries.taken_out import taken_out_by_its_worker

LARGEST = 2**62
LOOK = "winogavil_annotation.view_annotation"


JUDGEMENTS = (
    Judgement.objects.exclude(taken_out_by_its_worker("assignment")).select_related("worker").order_by("pk")
)


class AnnotationDrawFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")
    kind = serializers.ChoiceField(Kind.choices, required=False)


class AnnotationFilters(Filters):
    study = serializers.UUIDField(required=False, source="draw__study__public_id")
    draw = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST, source="draw_id")
    association = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST, source="association_id"
    )
    kind = serializers.ChoiceField(Kind.choices, required=False)


class SeenQuestions(serializers.Serializer[Any]):
    seen = serializers.IntegerField(
        required=False,
        min_value=0,
        help_text="How many were untouched when you looked; refused if it is another number by now.",
    )


class AnnotationDrawViewSet(Listing):
    """The draws of associations to annotate, each with the recipe that draws them again."""

    queryset: QuerySet[Draw] = with_untouched(Draw.objects.select_related("study", "drawn_by"))
    permissions = (LOOK,)
    study_path = "study"
    number = True
    filters = AnnotationDrawFilters
    columns = (
        column("number", INTEGER, "the number of the draw on this site", of="pk"),
        column("study", TEXT, "the study", of="study.public_id"),
        column("kind", TEXT, "types, skills or baseline"),
        column("recipe", JSON, "how they were drawn"),
        column("found", INTEGER, "how many there were to choose from"),
        column("chosen", INTEGER, "how many the recipe chose"),
        column("added", INTEGER, "how many of them nobody had drawn before"),
        column("untouched", INTEGER, "how many nobody was asked yet"),
        user_column("drawn_by", "who drew them"),
        column("drawn_at", MOMENT, "when they were drawn"),
    )
    verbs = {
        "take_back": Verb(
            action=TAKING_BACK,
            scope=Scope.DRAFT,
            about="Take back the questions that nobody was asked yet. They can be drawn again.",
            body=SeenQuestions,
        ),
    }


class AnnotationViewSet(Listing):
    """The questions about selected associations, with the answers that count once they are final."""

    queryset: QuerySet[Annotation] = Annotation.objects.select_related(
        "draw__study", "item", "place"
    ).prefetch_related(Prefetch("judgements", JUDGEMENTS))
    permissions = (LOOK,)
    study_path = "draw__study"
    number = True
    filters = AnnotationFilters
    columns = (
        column("number", INTEGER, "the number of the annotation on this site", of="pk"),
        column("study", TEXT, "the study", of="draw.study.public_id"),
        column("draw", INTEGER, "the number of its draw", of="draw_id"),
        column("item", TEXT, "the item that annotators are asked", of="item.public_id"),
        column("kind", TEXT, "types, skills or baseline"),
        column("association", INTEGER, "the number of the association", of="association_id"),
        column(
            "position",
            INTEGER,
            "the place of the picture that it is about; null where it is about all",
            of=lambda row: row.place and row.place.position,
        ),
        column("labels", TEXTS, "what most annotators said"),
        column("numerator", INTEGER, "of the baseline: the mean of the Jaccard indices is this"),
        column("denominator", INTEGER, "over this"),
        column("final_at", MOMENT, "when the last annotator had answered"),
        column("in_use", FLAG, "whether it counts", of=lambda row: row.item.pulled_at is None),
        column(
            "judgements",
            ROWS,
            "the answers that count",
            column("worker", TEXT, "the annotator's pseudonym", of="worker.pseudonym"),
            column("given", JSON, "labels; for the baseline, the places picked"),
            column("numerator", INTEGER, "of the baseline: the Jaccard index is this"),
            column("denominator", INTEGER, "over this"),
            of=lambda row: row.judgements.all(),
        ),
    )
