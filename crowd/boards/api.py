"""Public pages of releases for programs: set up, opened, who is invited, and what was submitted."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter

from crowd.boards.admin.board_actions import BOARDS, INVITATIONS, SUBMISSIONS
from crowd.boards.admin.permitted_boards import CHANGE, LOOK
from crowd.boards.models import MOST_A_DAY, Board, Invitation, Submission
from crowd.boards.queries.board_tables import visible_scores
from crowd.boards.services import board_links, board_states
from crowd.releases.admin.permitted_rows import VIEW
from crowd.releases.models import Release
from hits.api.filters import Filters
from hits.api.listings import Listing
from hits.api.request_permissions import Need
from hits.api.verbs import Verb
from hits.core.signed_links import DAYS, MOST_DAYS
from hits.datasets.columns import FLAG, INTEGER, MOMENT, ROWS, TEXT, column, user_column
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of

SEEN = (VIEW, LOOK)


class NewBoard(serializers.Serializer[Any]):
    release = serializers.UUIDField()


class Settings(serializers.Serializer[Any]):
    citation = serializers.CharField(required=False, allow_blank=True, max_length=2_000)
    takes_submissions = serializers.BooleanField(required=False, default=False)
    daily_limit = serializers.IntegerField(required=False, default=3, min_value=1, max_value=MOST_A_DAY)


class Days(serializers.Serializer[Any]):
    days = serializers.IntegerField(required=False, default=DAYS, min_value=1, max_value=MOST_DAYS)


class NewInvitation(Days):
    name = serializers.CharField(max_length=80)


class Agreement(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=64, help_text="Its name on the board.")


class Refusal(serializers.Serializer[Any]):
    words = serializers.CharField(max_length=500, help_text="What its submitter reads.")


class BoardFilters(Filters):
    release = serializers.UUIDField(required=False, source="release__public_id")
    study = serializers.UUIDField(required=False, source="release__study__public_id")


class OfBoardFilters(Filters):
    release = serializers.UUIDField(required=False, source="board__release__public_id")


class SubmissionFilters(Filters):
    release = serializers.UUIDField(required=False, source="invitation__board__release__public_id")
    status = serializers.ChoiceField(Submission.Status.choices, required=False)


class BoardViewSet(Listing):
    """The public page of a published release."""

    queryset: QuerySet[Board] = Board.objects.select_related("release__study")
    permissions = SEEN
    scope = Scope.EXPORT
    study_path = "release__study"
    number = True
    filters = BoardFilters
    needs: ClassVar[Mapping[str, Need]] = {"create": Need(Scope.EXPORT, (*SEEN, CHANGE))}
    columns = (
        column("number", INTEGER, "the number of the board on this site", of="pk"),
        column("release", TEXT, "the release", of="release.public_id"),
        column("is_open", FLAG, "whether everybody sees it"),
        column("opened_at", MOMENT, "when it was last opened"),
        column("address", TEXT, "where it is, once it is open", of=board_links.address_of_board),
        column("citation", TEXT, "how to cite the data; empty: by the release itself"),
        column("takes_submissions", FLAG, "whether models can be submitted from outside"),
        column("daily_limit", INTEGER, "submissions within 24 hours, for each link"),
        column("downloads", INTEGER, "files that the public has taken"),
    )
    verbs: ClassVar[Mapping[str, Verb]] = {
        "setup": Verb(
            action=BOARDS.actions["setup"],
            scope=Scope.EXPORT,
            body=Settings,
            about="Set how the data are cited, and whether models can be submitted: all that the page sets.",
        ),
        "open": Verb(
            action=BOARDS.actions["open"],
            scope=Scope.EXPORT,
            about="Open the page to everybody.",
        ),
        "close": Verb(action=BOARDS.actions["close"], scope=Scope.EXPORT, about="Close the page."),
        "invite": Verb(
            action=BOARDS.actions["invite"],
            scope=Scope.EXPORT,
            body=NewInvitation,
            about="Invite somebody to submit. The link is on the invitation's page in the admin alone.",
        ),
    }

    @extend_schema(request=NewBoard)
    def create(self, request: Request) -> Response:
        """Make the public page of a published release, which is off at first. One that is there is told."""
        asked = self.read(NewBoard)
        releases = Release.objects.filter(study__in=studies_of(request.user)).select_related("study")
        release = get_object_or_404(releases, public_id=asked["release"])
        answer = self.answer_row(pk=board_states.board_of(release).pk)
        answer.status_code = status.HTTP_201_CREATED
        return answer


class BoardInvitationViewSet(Listing):
    """Who may submit models, without their names and their links: those stay on their page in the admin."""

    queryset: QuerySet[Invitation] = Invitation.objects.select_related("board__release__study")
    permissions = SEEN
    scope = Scope.EXPORT
    study_path = "board__release__study"
    filters = OfBoardFilters
    columns = (
        column("public_id", TEXT, "the invitation's id"),
        column("release", TEXT, "the release", of="board.release.public_id"),
        column("link_until", MOMENT, "until when its link is valid"),
        column("made_at", MOMENT, "when it was made"),
        column("seen_at", MOMENT, "when its link was last used"),
    )
    verbs: ClassVar[Mapping[str, Verb]] = {
        "prolong": Verb(
            action=INVITATIONS.actions["prolong"],
            scope=Scope.EXPORT,
            body=Days,
            about="Keep the link valid for so many days from now.",
        ),
        "renew": Verb(
            action=INVITATIONS.actions["renew"],
            scope=Scope.EXPORT,
            body=Days,
            about="Make a new link, which ends every earlier one.",
        ),
        "end": Verb(
            action=INVITATIONS.actions["end"],
            scope=Scope.EXPORT,
            about="End the link. What was submitted stays.",
        ),
    }


class BoardSubmissionViewSet(Listing):
    """Models submitted from outside, with their means over items whose labels are public."""

    queryset: QuerySet[Submission] = Submission.objects.select_related(
        "invitation__board__release__study", "result__benchmark__release__study", "decided_by"
    )
    permissions = SEEN
    scope = Scope.EXPORT
    study_path = "invitation__board__release__study"
    filters = SubmissionFilters
    columns = (
        column("public_id", TEXT, "the submission's id"),
        column("invitation", TEXT, "the invitation that it came by", of="invitation.public_id"),
        column("release", TEXT, "the release", of="result.benchmark.release.public_id"),
        column("task", TEXT, "the task", of="result.benchmark.task"),
        column("result", TEXT, "the result among those of its benchmark", of="result.public_id"),
        column("name", TEXT, "the model", of="result.name"),
        column("about", TEXT, "what its submitter says of it", of="result.about"),
        column("status", TEXT, "waiting, listed or declined"),
        column("words", TEXT, "what its submitter reads about that"),
        column("submitted_at", MOMENT, "when it was submitted"),
        column("decided_at", MOMENT, "when that was decided"),
        user_column("decided_by", "by whom"),
        column(
            "scores",
            ROWS,
            "its means",
            column("over", TEXT, "over which items"),
            column("measure", TEXT, "of what"),
            column("mean", TEXT, "the mean"),
            column("items", INTEGER, "over so many"),
            of=lambda one: list(visible_scores(one.result)),
        ),
    )
    verbs: ClassVar[Mapping[str, Verb]] = {
        "agree": Verb(
            action=SUBMISSIONS.actions["agree"],
            scope=Scope.EXPORT,
            body=Agreement,
            about="Put it on the board.",
        ),
        "decline": Verb(
            action=SUBMISSIONS.actions["decline"],
            scope=Scope.EXPORT,
            body=Refusal,
            about="Keep it off the board, or take it off.",
        ),
    }


router = SimpleRouter()
router.register("boards", BoardViewSet, basename="board")
router.register("board-invitations", BoardInvitationViewSet, basename="board-invitation")
router.register("board-submissions", BoardSubmissionViewSet, basename="board-submission")

urlpatterns = router.urls
