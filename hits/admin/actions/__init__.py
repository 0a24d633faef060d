"""Actions on rows, each defined once: who may do it, what it asks before, and the call that does it."""

from hits.admin.actions.action_pages import ActionPages
from hits.admin.actions.reason_form import OneLine, words_form
from hits.admin.actions.shapes import (
    Action,
    Call,
    Confirm,
    Outcome,
    RowButton,
    emphasize,
    one_by_one,
    unless_ticked,
)

__all__ = [
    "Action",
    "ActionPages",
    "Call",
    "Confirm",
    "OneLine",
    "Outcome",
    "RowButton",
    "emphasize",
    "one_by_one",
    "unless_ticked",
    "words_form",
]
