"""Actions on the public page of a release, on invitations, and on what was submitted."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict
from django.urls import reverse

from crowd.boards.admin.permitted_boards import (
    CHANGE,
    CHANGE_LINK,
    DECIDE,
    INVITE,
    OPEN,
    around,
    find_board,
    find_invitation,
    find_submission,
    page_of,
    page_of_invitation,
    page_of_submission,
)
from crowd.boards.models import Board, Invitation, Submission
from crowd.boards.services import board_links, board_states, submitting
from hits.admin.actions import Action, Call, Confirm, OneLine, Outcome, emphasize, words_form
from hits.admin.actions.action_pages import ActionPages
from hits.admin.link_forms import DaysForm
from hits.core import held_links

Status = Submission.Status


class SettingsForm(forms.ModelForm[Board]):
    class Meta:
        model = Board
        fields = ("citation", "takes_submissions", "daily_limit")
        widgets = {"citation": forms.Textarea(attrs={"rows": 3})}


class InvitationForm(DaysForm):
    name = OneLine(max_length=80, help_text=Invitation._meta.get_field("name").help_text)
    field_order = ("name", "days")


def _settings_form(data: QueryDict | None, call: Call[Board]) -> forms.BaseForm:
    return SettingsForm(data, instance=call.row, label_suffix="")


def _invitation_form(data: QueryDict | None, _: Call[Board]) -> forms.BaseForm:
    return InvitationForm(data, label_suffix="")


def _days_form(data: QueryDict | None, _: Call[Invitation]) -> forms.BaseForm:
    return DaysForm(data, label_suffix="")


def _name_form(data: QueryDict | None, call: Call[Submission]) -> forms.BaseForm:
    made = forms.Form(data, initial={"name": call.row.result.name}, label_suffix="")
    made.fields["name"] = OneLine(
        label="Its name on the board", max_length=64, help_text="No two models of a table have one name."
    )
    return made


def _change(call: Call[Board]) -> Outcome:
    board_states.change_board(board=call.row, values=call.values, by=call.by, now=call.now)
    return Outcome(said="The settings are saved.")


def _confirm_opening(call: Call[Board]) -> Confirm:
    release = call.row.release
    hidden = "The labels of the test split stay here." if release.hides_test else ""
    return Confirm(
        text=emphasize("You open the page of {} to everybody.", release),
        consequences=[
            "Everybody may take its files, with the pictures, and sees examples, the card and the tables.",
            *([hidden] if hidden else []),
            "You can close it at any moment. What was taken meanwhile stays where it was taken to.",
        ],
    )


def _open(call: Call[Board]) -> Outcome:
    board_states.open_board(board=call.row, by=call.by, now=call.now)
    return Outcome(said=f"The page is open: {board_links.address_of_board(call.row)}")


def _close(call: Call[Board]) -> Outcome:
    board_states.close_board(board=call.row, by=call.by, now=call.now)
    return Outcome(said="The page is closed, and so are the links of those whom you invited.")


def _invite(call: Call[Board]) -> Outcome:
    made = board_states.invite(board=call.row, by=call.by, now=call.now, **call.values)
    said = f"{made} is invited. Copy the link, and send it to them."
    return Outcome(said=said, to=page_of_invitation(made))


BOARDS = ActionPages(
    actions={
        "open": Action(
            label="Open it to everybody",
            permissions=[OPEN],
            confirm=_confirm_opening,
            offered=lambda board: not board.is_open,
            is_first=True,
            run=_open,
        ),
        "setup": Action(label="Settings", permissions=[CHANGE], form=_settings_form, run=_change),
        "invite": Action(
            label="Invite somebody to submit",
            permissions=[INVITE],
            form=_invitation_form,
            offered=lambda board: board.takes_submissions,
            run=_invite,
        ),
        "close": Action(
            label="Close it",
            permissions=[OPEN],
            confirm=lambda call: Confirm(
                text=emphasize("You close the page of {}. It can be opened again.", call.row.release)
            ),
            offered=lambda board: board.is_open,
            is_grave=True,
            run=_close,
        ),
    },
    find=lambda request, pk: [find_board(request, pk)],
    back=lambda boards: page_of(boards[0]),
    url=lambda board, key: reverse(f"admin:boards_{key}", args=[board.pk]),
    shared=lambda boards: around(boards[0]),
)


def _prolong(call: Call[Invitation]) -> Outcome:
    held_links.prolong_link(call.row, now=call.now, **call.values)
    return Outcome(said=f"The link is valid until {call.row.link_until:%d %B %Y, %H:%M} UTC.")


def _renew(call: Call[Invitation]) -> Outcome:
    held_links.renew_link(call.row, now=call.now, **call.values)
    return Outcome(said="There is a new link. Every earlier one has ended.")


def _end(call: Call[Invitation]) -> Outcome:
    board_states.end_link(invitation=call.row, now=call.now)
    return Outcome(said="The link has ended. What was submitted stays.")


INVITATIONS = ActionPages(
    actions={
        "prolong": Action(label="Prolong the link", permissions=[CHANGE_LINK], form=_days_form, run=_prolong),
        "renew": Action(
            label="Make a new link",
            permissions=[CHANGE_LINK],
            form=_days_form,
            confirm=lambda _: Confirm(
                text="Every earlier link stops working at once. Do this if somebody else may have it."
            ),
            run=_renew,
        ),
        "end": Action(
            label="End the link",
            permissions=[CHANGE_LINK],
            confirm=lambda call: Confirm(
                text=emphasize("{} can submit nothing more by this link.", call.row)
            ),
            is_grave=True,
            run=_end,
        ),
    },
    find=lambda request, pk: [find_invitation(request, pk)],
    back=lambda invitations: page_of_invitation(invitations[0]),
    url=lambda invitation, key: reverse(f"admin:boards_{key}", args=[invitation.pk]),
    shared=lambda invitations: around(
        invitations[0].board, (str(invitations[0]), page_of_invitation(invitations[0]))
    ),
)


def _agree(call: Call[Submission]) -> Outcome:
    submitting.agree(submission=call.row, by=call.by, now=call.now, **call.values)
    return Outcome(said=f"{call.row} stands on the board.")


def _decline(call: Call[Submission]) -> Outcome:
    submitting.decline(submission=call.row, by=call.by, now=call.now, **call.values)
    return Outcome(said=f"{call.row} does not stand on the board. Its submitter reads why.")


def _find_submission(request: HttpRequest, pk: int) -> Sequence[Submission]:
    return [find_submission(request, pk)]


SUBMISSIONS: ActionPages[Submission] = ActionPages(
    actions={
        "agree": Action(
            label="Put it on the board",
            permissions=[DECIDE],
            form=_name_form,
            offered=lambda submission: submission.status != Status.LISTED,
            is_first=True,
            run=_agree,
        ),
        "decline": Action(
            label="Keep it off the board",
            permissions=[DECIDE],
            form=words_form(
                "words",
                "Why",
                longest=500,
                lines=3,
                help_text="Its submitter reads this.",
                missing="Say why: its submitter reads it.",
            ),
            offered=lambda submission: submission.status != Status.DECLINED,
            is_grave=True,
            run=_decline,
        ),
    },
    find=_find_submission,
    back=lambda submissions: page_of_submission(submissions[0]),
    url=lambda submission, key: reverse(f"admin:boards_{key}", args=[submission.pk]),
    shared=lambda submissions: around(
        submissions[0].invitation.board, (str(submissions[0]), page_of_submission(submissions[0]))
    ),
)
# Each set of actions with the part of the address that its rows have.
ADDRESSES: Sequence[tuple[str, ActionPages[Any]]] = [
    ("", BOARDS),
    ("invitations/", INVITATIONS),
    ("submissions/", SUBMISSIONS),
]
