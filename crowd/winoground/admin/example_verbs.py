"""Actions on one example; the confirmation says so if workers have been asked about it."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse

from crowd.winoground.admin.example_finding import Pages, find_example, read_moment
from crowd.winoground.admin.example_forms import METADATA, MetadataForm
from crowd.winoground.models import Example
from crowd.winoground.models.examples import LONGEST_REASON
from crowd.winoground.queries.examples import may_change
from crowd.winoground.queries.people_shown import unconfirmed_places, unconfirmed_words
from crowd.winoground.services import example_writing
from crowd.winoground.services.gendered_captions import confirm_gendered_words
from hits.admin.actions import Action, Call, Confirm, Outcome, RowButton, emphasize, words_form
from hits.admin.actions.action_pages import ActionPages
from hits.admin.projects.project_actions import project_actions
from hits.admin.selection import signed_in
from hits.identity.models.users import User

State = Example.State
ASKED_BEFORE = (
    "Workers have been asked about it. Nobody new is asked from then on; what was answered is kept, and "
    "comes back with it if you restore it, mark it as ready and ask about it again."
)


def offered_for(pages: Pages, example: Example, *, user: User) -> Sequence[RowButton]:
    """Actions that the example's state allows. The caller has checked that this person may change it."""
    return _pages(pages).offered(example, user=user)


def action_view(pages: Pages, request: HttpRequest, pk: int, example: UUID, verb: str) -> HttpResponse:
    return _pages(pages).answer(request, verb, pk=pk, key=example)


def _pages(pages: Pages) -> ActionPages[Example]:
    def find(request: HttpRequest, pk: int, key: UUID) -> Sequence[Example]:
        found = find_example(pages, request, pk, key)
        if not may_change(signed_in(request), found):
            raise PermissionDenied
        return [found]

    return project_actions(
        pages,
        ACTIONS,
        find=find,
        back=lambda example: pages.address(example.project, "show_example", example.public_id),
        url=lambda example, key: pages.address(example.project, "example_verb", example.public_id, key),
        base="admin/hits/project_base.html",
        logged=lambda example: example,
    )


def _asking(about: str) -> Callable[[Call[Example]], Confirm]:
    """Make the confirmation, with a further sentence if workers have been asked about the example."""

    def confirm(call: Call[Example]) -> Confirm:
        return Confirm(text=f"{about} {ASKED_BEFORE}" if call.row.state == State.ASKED else about)

    return confirm


def _move(call: Call[Example], *, move: Callable[..., bool], done: str) -> Outcome:
    move(example=call.row, now=call.now)
    return Outcome(said=f"{call.row}: {done}", history=done)


def _mark_ready(call: Call[Example]) -> Outcome:
    if example_writing.mark_ready(example=call.row, now=call.now):
        said = f"{call.row} stays a draft. Correct what is named below to make it ready."
        address = reverse("admin:winoground_show_example", args=[call.row.project_id, call.row.public_id])
        return Outcome(said=said, level=messages.WARNING, to=f"{address}?lacks")
    return Outcome(said=f"{call.row}: marked as ready.", history="marked as ready.")


def _ask_gendered(call: Call[Example]) -> Confirm:
    places = unconfirmed_places(call.row)
    return Confirm(
        text="Captions describe people without their gender, because nobody can see it in a picture: "
        "“person”, “child”, “they”. Where a word is not about a person's gender, as in a queen of chess, "
        "it may stay.",
        consequences=[
            emphasize(f"In caption {name} these stay: {{}}.", ", ".join(words))
            for caption, name in enumerate("AB")
            if (words := [word for place, word in places if place == caption])
        ],
        hidden=[("places", f"{place}:{word}") for place, word in places],
    )


def _read_places(call: Call[Example]) -> list[tuple[int, str]]:
    """The words that the confirmation named, each with its caption; what no page could send is left out."""
    sent = [text.partition(":") for text in call.sent.getlist("places")]
    return [(int(place), word) for place, _, word in sent if place in ("0", "1")]


def _refuse_gendered(call: Call[Example]) -> str:
    words = unconfirmed_words(call.row)
    return "" if words else "No gendered word of these captions waits for a confirmation."


def _confirm_gendered(call: Call[Example]) -> Outcome:
    places, reason = _read_places(call), call.values["reason"]
    kept = confirm_gendered_words(example=call.row, places=places, reason=reason, by=call.by, now=call.now)
    done = f"gendered words stay: {kept}."
    return Outcome(said=f"{call.row}: {done}", history=f"{done} {reason}")


def _metadata_form(data: QueryDict | None, call: Call[Example]) -> MetadataForm:
    # A copy: what is typed is no fact yet.
    return MetadataForm(data, instance=copy(call.row), label_suffix="")


def _ask_metadata(call: Call[Example]) -> Confirm:
    return Confirm(
        text="Workers have been asked about this example: its captions, pictures and labels stay. What is "
        "written about its pictures may change, because workers never see it.",
        hidden=[("seen", call.row.changed_at.isoformat())],
        button="Save",
    )


def _describe(call: Call[Example]) -> Outcome:
    changes = example_writing.describe_pictures(
        example=call.row,
        metadata=[call.values[name] for name in METADATA],
        seen=read_moment(call.sent.get("seen", "")),
        now=call.now,
    )
    if not changes:
        return Outcome(said=f"{call.row}: nothing was changed.", level=messages.INFO)
    return Outcome(
        said=f"{call.row}: what you wrote about its pictures is saved.", history="; ".join(changes)
    )


def _may_confirm(example: Example) -> bool:
    return example.state != State.WITHDRAWN and bool(unconfirmed_words(example))


_WHY: Callable[[QueryDict | None, Call[Example]], forms.Form] = words_form(
    "reason",
    "Why they stay",
    longest=LONGEST_REASON,
    help_text="It is kept with your name and the time.",
    missing="Say why they stay.",
)
ACTIONS: Mapping[str, Action[Example]] = {
    "ready": Action(
        label="Mark as ready",
        one_click=True,
        confirm=_asking("Everything it must have is checked again. Then workers can be asked about it."),
        offered=lambda example: example.state == State.DRAFT,
        run=_mark_ready,
    ),
    "draft": Action(
        label="Back to a draft",
        one_click=True,
        confirm=_asking("Workers are not asked about it before it is ready again."),
        offered=lambda example: example.state == State.READY,
        run=partial(_move, move=example_writing.reopen_example, done="taken back to a draft."),
    ),
    "gendered": Action(
        label="Let gendered words stay",
        form=_WHY,
        confirm=_ask_gendered,
        refuses=_refuse_gendered,
        offered=_may_confirm,
        run=_confirm_gendered,
    ),
    "describe": Action(
        label="Describe pictures",
        form=_metadata_form,
        confirm=_ask_metadata,
        offered=lambda example: example.state == State.ASKED,
        run=_describe,
    ),
    "withdraw": Action(
        label="Withdraw",
        confirm=_asking(
            "It leaves the lists of what can be asked. Nothing of it is deleted, and you can restore it."
        ),
        offered=lambda example: example.state in {State.DRAFT, State.READY, State.ASKED},
        run=partial(_move, move=example_writing.withdraw_example, done="withdrawn."),
    ),
    "restore": Action(
        label="Restore",
        one_click=True,
        confirm=_asking("It is a draft again, with everything that it had."),
        offered=lambda example: example.state == State.WITHDRAWN,
        run=partial(_move, move=example_writing.restore_example, done="restored as a draft."),
    ),
}
