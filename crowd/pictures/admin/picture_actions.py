"""Removing, restoring and rechecking of pictures, one or many: always with a reason or a confirmation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from crowd.pictures.admin import picture_marks
from crowd.pictures.admin.pool_parts import (
    CHECK,
    GALLERY,
    LIST,
    REMOVE,
    counted,
    gallery_url,
    next_page,
    shown_of,
)
from crowd.pictures.models import Picture
from crowd.pictures.models.pictures import LONGEST_REASON
from crowd.pictures.services import flagged_pictures, removing_pictures
from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.selection import MOST, read_keys


class ReasonForm(forms.Form):
    # Not required by the form, because the service says what it is for.
    reason = forms.CharField(
        max_length=LONGEST_REASON, required=False, help_text="For the record. No worker reads it."
    )


def action_view(request: HttpRequest, name: str) -> HttpResponse:
    return _pages(request.POST.get(GALLERY)).answer(request, name)


def ask(
    request: HttpRequest, name: str, pictures: QuerySet[Picture], *, gallery: str | None = None
) -> HttpResponse:
    """Ask for confirmation from the list: what the action means and which pictures it is about.

    `gallery`: the filters of the gallery that asks, to which the action leads back.
    """
    rows = list(pictures.order_by("pk")[:MOST])
    at = reverse("admin:pictures_picture_do", args=[name])
    return _pages(gallery).ask_list(request, name, rows, at=at)


def _pages(gallery: str | None) -> ActionPages[Picture]:
    """The pages of the actions; those that the gallery has asked for carry its filters along."""
    if gallery is None:
        return PAGES
    return replace(
        PAGES,
        back=lambda _: gallery_url(gallery),
        carried=lambda rows: [*PAGES.carried(rows), (GALLERY, gallery)],
    )


def _find(request: HttpRequest) -> Sequence[Picture]:
    """Pictures that the request names by number. Raises Http404 if there is none."""
    given = request.POST if request.method == "POST" else request.GET
    found = list(Picture.objects.filter(pk__in=read_keys(given.get("pictures", ""))).order_by("pk"))
    if not found:
        raise Http404
    return found


def _action(
    *,
    label: str,
    permission: str,
    meaning: str,
    done: str,
    do: Callable[..., int],
    form: Any = None,
    title: str = "",
) -> Action[Picture]:
    def confirm(call: Call[Picture]) -> Confirm:
        return Confirm(
            title=title or f"{label} pictures",
            text=meaning,
            button=f"{label}: {counted(len(call.rows))}",
            detail="admin/pictures/chosen.html",
            details=shown_of(call.rows),
        )

    def run(call: Call[Picture]) -> Outcome:
        count = do(pictures=call.rows, by=call.by, now=call.now, **call.values)
        return Outcome(said=f"{counted(count)} {done}.", to=next_page(call))

    return Action(label=label, permissions=[permission], form=form, confirm=confirm, run=run)


def _form(data: Any, _: Call[Picture]) -> ReasonForm:
    return ReasonForm(data)


ACTIONS: Mapping[str, Action[Picture]] = {
    **picture_marks.ACTIONS,
    "remove": _action(
        label="Remove",
        permission=REMOVE,
        meaning="They are shown to nobody any more, and items that hold them wait. "
        "What was reported of them is upheld. You can restore them at any time.",
        done="removed",
        form=_form,
        do=removing_pictures.remove_pictures,
    ),
    "restore": _action(
        label="Restore",
        permission=REMOVE,
        meaning="Those that were removed go back to where they were, with the items that hold them. "
        "What was reported of them and not decided yet is dismissed.",
        done="restored",
        form=_form,
        do=removing_pictures.restore_pictures,
    ),
    "recheck": _action(
        label="Send back to the check",
        permission=CHECK,
        meaning="They are shown to nobody until a colleague has found them fit again. "
        "Removed pictures are left as they are, and so are those that were uploaded for an item.",
        done="sent back to the check",
        do=removing_pictures.recheck_pictures,
    ),
    "allow": _action(
        label="Allow in spite of letters",
        title="Allow pictures in spite of their letters",
        permission=CHECK,
        meaning="Letters were found on them, so that they are unfit until a person says otherwise. You say "
        "that they do no harm: the pictures can be shown to workers at once. You can take this back at any "
        "time. What is unfit for another reason, or by a colleague’s verdict, is left as it is.",
        done="allowed in spite of letters",
        do=flagged_pictures.allow_flagged,
    ),
    "disallow": _action(
        label="Make unfit for letters again",
        title="Make pictures unfit for their letters again",
        permission=CHECK,
        meaning="What somebody decided about the letters on them is taken back: they are unfit and shown to "
        "nobody, and items that hold them wait. Pictures without letters are left as they are.",
        done="made unfit for letters again",
        do=flagged_pictures.disallow_flagged,
    ),
}
PAGES = ActionPages(
    actions=ACTIONS,
    find=_find,
    back=lambda _: reverse(LIST),
    base="admin/pictures/base.html",
    shared=lambda _: {"opts": Picture._meta},
    carried=lambda rows: [("pictures", ",".join(str(row.pk) for row in rows))],
)
