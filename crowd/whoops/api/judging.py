"""What is asked of judges in a project: files that are imported, pairs, lists, samples and categories."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from django.utils.datastructures import MultiValueDict
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.whoops.images.admin.own_category_pages import ACTIONS as CATEGORY_LISTS
from crowd.whoops.judge.admin.judging_cards import ADD
from crowd.whoops.judge.admin.pairs_and_lists import LISTS, PAIRS
from crowd.whoops.judge.admin.question_import import SORTS, UploadForm, import_file, words_of_preview
from crowd.whoops.judge.admin.samples import DRAW
from crowd.whoops.judge.admin.words_of_models import MAKING, TAKING, WITHDRAWING
from crowd.whoops.judge.services.question_import import preview_import
from crowd.whoops.review.admin.partner_actions import FIND
from crowd.whoops.review.queries.readable_reviews import DECIDE
from hits.admin.actions import Action
from hits.api.request_permissions import Need
from hits.api.verbs import Done, Verb
from hits.identity.api_tokens import Scope

LOOK, LOOK_AT_CATEGORIES = "whoops.view_project", "whoops.view_category"
LARGEST_SEED = 2**31
MOST = 100_000
LONGEST_LIST = 100_000


class QuestionFile(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="CSV or JSON, with the columns that the admin's page describes.")
    kind = serializers.ChoiceField(
        [(sort.kind, sort.title) for sort in SORTS.values()], help_text="What the rows of the file are."
    )
    seed = serializers.IntegerField(
        min_value=0, max_value=LARGEST_SEED, default=1, help_text="Of the wrong answers that are mixed in."
    )
    waits = serializers.BooleanField(
        default=False, help_text="Of questions with answers: ask nobody before a sample of them is drawn."
    )
    preview = serializers.BooleanField(
        default=False, help_text="Only tell what would be added, and add nothing."
    )


class DrawInput(serializers.Serializer[Any]):
    wanted = serializers.IntegerField(min_value=1, max_value=MOST)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)


class ListsInput(serializers.Serializer[Any]):
    incomplete = serializers.BooleanField(
        default=False, help_text="Also of images whose annotations are not all there yet."
    )


class TaggerInput(serializers.Serializer[Any]):
    model = serializers.CharField(max_length=64, help_text="The name of a registered tagger.")


class BlindInput(serializers.Serializer[Any]):
    result = serializers.UUIDField(
        help_text="The id of a benchmark's result: answers to the questions, of a model that saw no image."
    )


class FinderInput(serializers.Serializer[Any]):
    model = serializers.CharField(max_length=64, help_text="The name of a registered CLIP.")


class SaidInput(serializers.Serializer[Any]):
    result = serializers.UUIDField(
        help_text="The id of a benchmark's result: explanations or captions of the images."
    )


class CategoryLines(serializers.Serializer[Any]):
    lines = serializers.CharField(
        max_length=LONGEST_LIST,
        help_text="One category a line: its name, and if you like a colon and what it is about.",
    )


def _needing(deed: Action[Any], *permissions: str) -> Action[Any]:
    """Return the action with the permissions that its page asks for."""
    return replace(deed, permissions=(*deed.permissions, *permissions))


VERBS = {
    "draw_pairs": Verb(
        action=_needing(PAIRS, ADD),
        scope=Scope.DRAFT,
        about="Draw weird images by lot, to be asked about beside their normal partners.",
        body=DrawInput,
    ),
    "make_lists": Verb(
        action=_needing(LISTS, ADD),
        scope=Scope.DRAFT,
        about="Make a list of explanations of each image, to be judged.",
        body=ListsInput,
    ),
    "draw_sample": Verb(
        action=_needing(DRAW, ADD),
        scope=Scope.DRAFT,
        about="Draw questions by lot from those that wait for a sample, to be verified.",
        body=DrawInput,
    ),
    "make_questions": Verb(
        action=_needing(MAKING, ADD),
        scope=Scope.DRAFT,
        about="Make questions of the captions of accepted images, in the background; they wait for a sample.",
        body=TaggerInput,
    ),
    "withdraw_answered": Verb(
        action=_needing(WITHDRAWING, ADD),
        scope=Scope.DRAFT,
        about="Withdraw the questions that a model has answered without seeing the image.",
        body=BlindInput,
    ),
    "find_partners": Verb(
        action=_needing(FIND, DECIDE),
        scope=Scope.DRAFT,
        about="Search the pool for pictures that may be natural partners, in the background.",
        body=FinderInput,
    ),
    "take_words": Verb(
        action=_needing(TAKING, ADD),
        scope=Scope.DRAFT,
        about="Have what a model has said on a benchmark judged, its explanations or its captions.",
        body=SaidInput,
    ),
    "replace_categories": Verb(
        action=_needing(CATEGORY_LISTS["replace"], LOOK_AT_CATEGORIES),
        scope=Scope.DRAFT,
        about="Give the study a list of categories of its own. Images move to those of the same name.",
        body=CategoryLines,
    ),
    "share_categories": Verb(
        action=_needing(CATEGORY_LISTS["share"], LOOK_AT_CATEGORIES),
        scope=Scope.DRAFT,
        about="Delete the study's own list of categories. Its designers choose from the shared one again.",
    ),
}
PAGES = {"whoops_import": "import_questions"}
NEEDS: Mapping[str, Need] = {"import_questions": Need(Scope.DRAFT, (LOOK, ADD))}


class QuestionImports:
    """A mixin of the listing of projects, before `Listing`."""

    needs: ClassVar[Mapping[str, Need]]

    @extend_schema(request={"multipart/form-data": QuestionFile}, responses=Done)
    @action(detail=True, methods=["post"], url_path="import-questions", parser_classes=[MultiPartParser])
    def import_questions(self: Any, request: Request, pk: str) -> Response:
        """Import questions with answers, captions or explanations: all lines, or none and what is wrong.

        The same rows once more add nothing.
        """
        project, given = self.get_object(), self.read(QuestionFile)
        form = UploadForm({}, MultiValueDict({"file": [given.pop("file")]}))
        if not form.is_valid():
            raise serializers.ValidationError(form.errors.get_json_data())
        text, kind, is_preview = form.cleaned_data["file"], given.pop("kind"), given.pop("preview")
        if is_preview:
            words = words_of_preview(preview_import(project=project, kind=kind, text=text, **given))
        else:
            sort = next(sort for sort in SORTS.values() if sort.kind == kind)
            words = import_file(self.pages(), request, project, sort, text=text, **given)
        return Response(Done({"message": words, "problems": []}).data)
