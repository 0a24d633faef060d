"""Verdicts about many pictures at once: what each would do, said before it is done."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django import forms

from crowd.pictures.admin.pool_parts import CHECK, counted, next_page, shown_of
from crowd.pictures.models import Picture, Unfit
from crowd.pictures.services import bulk_check
from crowd.pictures.services.bulk_check import LeftOut
from crowd.pictures.services.manual_check import UNDO_FOR
from hits.admin.actions import Action, Call, Confirm, Outcome

Status = Picture.Status
MINUTES = int(UNDO_FOR.total_seconds()) // 60
# Without the profane concepts, which are found automatically.
REASONS = [*Unfit][:5]
LEFT: Mapping[LeftOut, str] = {
    LeftOut.REMOVED: "were removed",
    LeftOut.OF_ITEM: "were uploaded for an item, which its own pages decide about",
    LeftOut.SAME: "are so already",
    LeftOut.UNFIT: "are unfit by a colleague’s verdict: send them back to the check first",
    LeftOut.HELD: "are being checked by a colleague now",
    LeftOut.UNREAD: "have not been looked at for letters yet: the background does that first",
    LeftOut.LETTERS: "show letters, which are too small to be judged here: check them one by one, or "
    "“Allow in spite of letters”",
}


class UnfitForm(forms.Form):
    # Not required by the form, because the service says what it is for.
    reason = forms.ChoiceField(
        choices=[("", "Choose a reason"), *((one.value, one.label) for one in REASONS)], required=False
    )


def _form(data: Any, _: Call[Picture]) -> UnfitForm:
    return UnfitForm(data)


def _mark(to: Status, *, meaning: str, do: Callable[..., int], form: Any = None) -> Action[Picture]:
    label = f"Mark as {to}"

    def confirm(call: Call[Picture]) -> Confirm:
        left = bulk_check.count_left_out(call.rows, to, by=call.by, now=call.now)
        count = len(call.rows) - sum(left.values())
        return Confirm(
            title=f"{label}: {counted(count)}",
            text=meaning,
            consequences=[*_becomes(count, to), *_left_in_words(left)],
            problem="" if count else "There is nothing to mark.",
            is_blocked=not count,
            button=f"{label}: {counted(count)}",
            detail="admin/pictures/chosen.html",
            details=shown_of(call.rows),
        )

    def run(call: Call[Picture]) -> Outcome:
        count = do(pictures=call.rows, by=call.by, now=call.now, **call.values)
        said = f"{counted(count)} marked as {to}. “Undo” takes it back, for {MINUTES} minutes."
        return Outcome(said=said, to=next_page(call))

    return Action(label=label, permissions=[CHECK], form=form, confirm=confirm, run=run)


def _becomes(count: int, to: Status) -> Iterator[str]:
    if count:
        yield f"{counted(count)} {'becomes' if count == 1 else 'become'} {to}."


def _left_in_words(left: Mapping[LeftOut, int]) -> Iterator[str]:
    for reason, count in left.items():
        yield f"Left as they are: {count}, which {LEFT[reason]}."


ACTIONS: Mapping[str, Action[Picture]] = {
    "fit": _mark(
        Status.FIT,
        meaning="They can be shown to workers at once. A picture is fit if it shows its concept, clearly and "
        f"to everybody, without naming it in letters. You can undo this for {MINUTES} minutes.",
        do=bulk_check.mark_fit,
    ),
    "unfit": _mark(
        Status.UNFIT,
        meaning="They are shown to nobody, and items that hold them wait. If you undo this, within "
        f"{MINUTES} minutes, they wait for the check again.",
        form=_form,
        do=bulk_check.mark_unfit,
    ),
}
