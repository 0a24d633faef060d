"""Forms in which a researcher enters what a designer is."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q

from crowd.whoops.design.services.invitations import MOST_PLACES
from crowd.whoops.models import Designer, Image
from hits.admin.link_forms import DaysForm
from hits.core.domain.typed_text import read_uuid
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.work import access


class WorkerField(forms.CharField):
    """A worker, by pseudonym or public id; nobody types a provider's id here."""

    def __init__(self, *, user: User, **kwargs: Any) -> None:
        super().__init__(**{"required": False, "max_length": 64, "label": "Paid as the worker", **kwargs})
        self.user = user

    def clean(self, value: Any) -> Worker | None:
        text = str(super().clean(value)).strip()
        if not text:
            return None
        key = read_uuid(text)
        asked = Q(public_id=key) if key else Q(pseudonym=text.casefold())
        found = list(access.visible(Worker.objects.defer("external_id"), self.user).filter(asked)[:2])
        if not found:
            raise ValidationError(
                "You see no worker of this pseudonym or public id. Workers are found once they have done "
                "work in one of your studies."
            )
        if len(found) > 1:
            raise ValidationError("Two accounts have a worker of this pseudonym. Give the public id.")
        return found[0]


class DesignerForm(forms.Form):
    name = forms.CharField(
        max_length=80, help_text="For you and your colleagues. The data never show it.", strip=True
    )
    is_paid = forms.BooleanField(
        label="Is paid for each accepted image",
        required=False,
        help_text="Not for volunteers. Tick it also for designers paid elsewhere: they have no worker here.",
    )

    def __init__(self, *args: Any, user: User, designer: Designer | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["worker"] = WorkerField(
            user=user,
            help_text="The pseudonym (w-…) or public id of a worker who has worked for you: the pay is a "
            "bonus on their work. Leave it empty for volunteers.",
        )
        if designer:
            worker = designer.worker
            self.initial = {
                "name": designer.name,
                "is_paid": designer.is_paid,
                "worker": worker.pseudonym if worker else "",
            }
            self.fields["worker"].help_text += _told_of_earlier(designer)

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if values.get("worker") and not values.get("is_paid"):
            self.add_error("is_paid", "Tick this if a worker is to be paid, or leave the worker empty.")
        return values


def _told_of_earlier(designer: Designer) -> str:
    """Warn that a designer made a paid worker late may have been paid elsewhere for accepted images."""
    if designer.is_paid_here:
        return ""
    accepted = designer.images.filter(state=Image.State.ACCEPTED, bonus=None).count()
    return f" Images accepted before are outstanding from then on, too: {accepted}." if accepted else ""


class InviteForm(DesignerForm, DaysForm):
    field_order = ("name", "is_paid", "worker", "days")


class PlacesForm(forms.Form):
    places = forms.IntegerField(
        label="Workers who may become designers by the HIT",
        min_value=0,
        max_value=MOST_PLACES,
        help_text="Workers who already took a place count, too.",
    )
