"""Page that draws more picture sets, and shows some of them before to whoever wants to look."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from crowd.pictures.models import Picture
from crowd.pictures.services.preparation import count_unread
from crowd.winogavil import domain
from crowd.winogavil.models import Game, PictureSet
from crowd.winogavil.services.picture_set_draw import MOST_BOARDS, Drawn, Plan, draw_picture_sets, look_ahead
from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.core.domain.counted_nouns import plural
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.access import studies_of
from qualifications.models import SwowList

SHOWN = 5
USUAL_SIZE, USUAL_COUNT = 10, 20
FOR = {domain.CREATE: "spymasters", domain.CREATOR_TEST: "the creator's test"}
LARGEST_SEED = 999_999
LIST = "admin:winogavil_pictureset_changelist"
ALIKE = "No set shows two pictures of one concept, or two that are nearly alike."


class DrawForm(forms.Form):
    study = forms.ModelChoiceField(Study.objects.none(), label="Study")
    size = forms.TypedChoiceField(
        label="Pictures in a set",
        choices=[(size, str(size)) for size in domain.SIZES],
        coerce=int,
        initial=USUAL_SIZE,
    )
    count = forms.IntegerField(
        label="Number of sets",
        min_value=1,
        max_value=MOST_BOARDS,
        initial=USUAL_COUNT,
        help_text=f"Each is given to {domain.SPYMASTERS_WANTED} spymasters, or to all who take the test.",
    )
    swow = forms.ModelChoiceField(
        SwowList.objects.none(),
        label="Association list",
        required=False,
        empty_label="None: pictures at random",
        help_text="With a list, some pictures of each set have a word in common.",
    )
    task = forms.ChoiceField(
        label="For",
        choices=list(FOR.items()),
        initial=domain.CREATE,
        required=False,
        help_text="A set for the test is given to everybody who takes it, and to no spymaster.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="The same seed draws the same sets from the same pictures, and continues where it ended.",
    )

    def __init__(self, *args: Any, studies: QuerySet[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["study"].queryset = studies
        fields["swow"].queryset = SwowList.objects.filter(status=SwowList.Status.READY).order_by("name")

    def clean_task(self) -> str:
        return self.cleaned_data["task"] or domain.CREATE


@dataclass(frozen=True, kw_only=True)
class Room:
    """What a pool of so many concepts has room for."""

    concepts: int

    @property
    def size(self) -> int:
        """The size offered first: the largest up to the usual one that makes as many sets as are usual.

        Where no size does, it is the largest one that the pool can fill.
        """
        fitting = [size for size in domain.SIZES if size <= min(self.concepts, USUAL_SIZE)]
        enough = [size for size in fitting if comb(self.concepts, size) >= USUAL_COUNT]
        return max(enough or fitting, default=USUAL_SIZE)

    @property
    def sets(self) -> int:
        """How many sets of that size differ in what they show."""
        return comb(self.concepts, self.size)

    @property
    def count(self) -> int:
        return max(1, min(USUAL_COUNT, self.sets))

    @property
    def words(self) -> str:
        if self.sets >= USUAL_COUNT and self.size < USUAL_SIZE:
            return (
                f" Its {self.concepts} concepts are few for sets of {USUAL_SIZE} pictures, so sets of "
                f"{self.size} are offered below: {self.sets} of them differ."
            )
        if not 0 < self.sets < USUAL_COUNT:
            return ""
        differ = "is only 1 set" if self.sets == 1 else f"are only {self.sets} different sets"
        shown = "1 set is offered" if self.sets == 1 else f"{self.sets} sets are offered"
        return (
            f" Of its {self.concepts} concepts there {differ} of {self.size} pictures, so {shown} below; "
            "more would show the same again."
        )


def _room() -> Room:
    concepts = Picture.objects.playable().order_by().values_list("concept", flat=True).distinct()
    return Room(concepts=len({concept.casefold() for concept in concepts}))


def _form(data: QueryDict | None, call: Call[Any]) -> DrawForm:
    room = _room()
    first = {
        "seed": secrets.randbelow(LARGEST_SEED),
        "study": call.query.get("study"),
        "size": room.size,
        "count": room.count,
    }
    return DrawForm(data, studies=studies_of(call.by).order_by("name"), initial=first)


def _look(call: Call[Any]) -> Confirm:
    playable = Picture.objects.playable().count()
    drawn = look_ahead(Plan(**call.values)) if call.values else []
    return Confirm(
        title="Draw picture sets",
        text=f"The pool has {plural(playable, 'fit picture')}. {ALIKE}{_room().words}{_unread()}",
        problem=_repeated(drawn) if playable else _nothing_yet(call.by),
        detail="admin/winogavil/drawn.html" if drawn else "",
        details={"drawn": drawn[:SHOWN], "count": len(drawn)},
        button=f"Draw {plural(len(drawn), 'set')}",
    )


def _unread() -> str:
    count = count_unread(Picture.objects.playable())
    if not count:
        return ""
    return (
        f" The letters on {plural(count, 'picture')} of these are still being read: a set goes out of use "
        "when letters are found on one of its pictures."
    )


def _repeated(drawn: Sequence[Drawn]) -> str:
    """Say how many of the sets show the pictures of another one again."""
    again = len(drawn) - len({frozenset(picture.pk for picture in one.pictures) for one in drawn})
    shows = "set shows" if again == 1 else "sets show"
    return f"{again} {shows} the same pictures as another one. Draw fewer, or bring more in." if again else ""


def _nothing_yet(user: User) -> SafeString:
    nothing = "<strong>There is nothing to draw from yet.</strong> {}, and {}, first."
    bring = _link(user, "import_picture", "import_add", "Import pictures")
    return format_html(nothing, bring, _link(user, "check_picture", "check", "check them"))


def _link(user: User, permission: str, address: str, words: str) -> str:
    """Link for a user who may follow it, plain words for others."""
    if not user.has_perm(f"pictures.{permission}"):
        return words
    return format_html('<a href="{}">{}</a>', reverse(f"admin:pictures_{address}"), words)


def _draw(call: Call[Any]) -> Outcome:
    plan = Plan(**call.values)
    made = len(draw_picture_sets(plan, now=call.now))
    ready = "1 picture set is" if made == 1 else f"{made} picture sets are"
    words = '{} ready for {}. <a class="button default" href="{}">Launch a batch…</a>'
    there = f"{reverse(LIST)}?{urlencode({'item__study__id__exact': plan.study.pk})}"
    return Outcome(said=format_html(words, ready, FOR[plan.task], _launching(plan)), to=there)


def _launching(plan: Plan) -> str:
    """Address of a draft of what the sets are for, on the game's own page where the game is set up."""
    if game := Game.objects.filter(study=plan.study).only("pk").first():
        return reverse("admin:winogavil_draft", args=[game.pk, plan.task])
    return f"{reverse('admin:hits_batch_add')}?{urlencode({'study': plan.study.pk, 'task': plan.task})}"


def no_rows(_: HttpRequest) -> list[Any]:
    """No rows: the action makes new ones, and is about none that exists."""
    return []


DRAWING: ActionPages[Any] = ActionPages(
    actions={
        "draw": Action(
            label="Draw the sets",
            permissions=["winogavil.add_pictureset"],
            form=_form,
            looks_first="Preview some sets",
            may_skip_look=True,
            confirm=_look,
            run=_draw,
        )
    },
    find=no_rows,
    back=lambda _: reverse(LIST),
    base="admin/hits/action_base.html",
    shared=lambda _: {"opts": PictureSet._meta, "trail": [("Picture sets", reverse(LIST))]},
)
