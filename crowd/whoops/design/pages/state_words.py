"""States of an image and of its pay, in the designer's words. Sign and word, so that no color carries it."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.whoops.models import Image
from hits.ledger.models.bonuses import Bonus

State = Image.State


@dataclass(frozen=True, kw_only=True)
class StateWords:
    sign: str
    tag: str | Promise
    about: str | Promise
    tone: str = ""


@dataclass(frozen=True, kw_only=True)
class ShownState:
    image: Image
    state: StateWords


STATES: Mapping[State, StateWords] = {
    State.RETURNED: StateWords(
        sign="↩",
        tag=gettext_lazy("Back with you"),
        about=gettext_lazy("Read why, change what is named, and send it again; or withdraw it."),
        tone="bad",
    ),
    State.CONTROL: StateWords(
        sign="…",
        tag=gettext_lazy("With the control group"),
        about=gettext_lazy("A few people say what they find weird in it. You need not do anything."),
    ),
    State.REVIEW: StateWords(
        sign="…",
        tag=gettext_lazy("With the reviewers"),
        about=gettext_lazy("People saw what is weird. Now it is checked for harm. You need not do anything."),
    ),
    State.ACCEPTED: StateWords(
        sign="✓", tag=gettext_lazy("Accepted"), about=gettext_lazy("It is part of the data."), tone="good"
    ),
    State.REFUSED: StateWords(
        sign="–",
        tag=gettext_lazy("Refused"),
        about=gettext_lazy("It will not be part of the data, and cannot be sent again."),
    ),
    State.WITHDRAWN: StateWords(
        sign="–", tag=gettext_lazy("Withdrawn"), about=gettext_lazy("You took it back.")
    ),
}
FIELDS: Mapping[str, str | Promise] = {
    "normal_element": gettext_lazy("What would be normal"),
    "shared_element": gettext_lazy("What it goes with"),
    "weird_element": gettext_lazy("What stands there instead"),
    "explanation": gettext_lazy("Why it is weird"),
    "category": gettext_lazy("Category"),
    "prompt": gettext_lazy("Prompt"),
    "seed": gettext_lazy("Seed"),
    "tool": gettext_lazy("Made with"),
}
SAID: Mapping[str, str | Promise] = {
    "sent": gettext_lazy("Sent. It is with the control group now; you see here what becomes of it."),
    "sent-again": gettext_lazy("Sent again. It is with the control group once more."),
    "withdrawn": gettext_lazy("Withdrawn. Nobody is asked about it any more."),
    "partner": gettext_lazy("The picture is kept beside this image."),
    "removed": gettext_lazy("The picture is taken away from this image."),
}


def pay_in_words(image: Image) -> str:
    """What became of the pay for a paid designer's image, in a sentence."""
    if image.bonus is None:
        return _unowed(image)
    amount = {"amount": image.bonus.in_words}
    if image.bonus.status in (Bonus.Status.SENT, Bonus.Status.CONFIRMED):
        return _("%(amount)s were paid to you for it.") % amount
    if image.bonus.status == Bonus.Status.WAIVED:
        return ""
    return _("%(amount)s are owed to you for it, and on their way.") % amount


def _unowed(image: Image) -> str:
    if image.state != State.ACCEPTED:
        return ""
    if image.designer.is_paid_here:
        return _("Its bonus is not owed yet: it will be once your work is approved and there is money.")
    return _("You are paid for it by those who invited you.")
