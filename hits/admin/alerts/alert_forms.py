"""The forms of what a person is told, and of a study's address."""

from collections.abc import Mapping
from typing import Any

from django import forms

from hits.alerts.models import AlertChoice, AlertHook, How, Kind
from hits.alerts.queries.audience import RIGHTS, default_for, kinds_for
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.access import SEES_ALL

AS_USUAL = ""


class ChoicesForm(forms.Form):
    """A choice for each kind of which the user may open the page: for all studies, or for one."""

    def __init__(self, data: Any = None, *, user: User, study: Study | None) -> None:
        super().__init__(data)
        rows = AlertChoice.objects.filter(user=user)
        chosen = {(row.study_id, row.kind): How(row.how) for row in rows.filter(study=None)}
        if study:
            chosen |= {(row.study_id, row.kind): How(row.how) for row in rows.filter(study=study)}
        self.kinds = kinds_for(user)
        for kind in self.kinds:
            general = chosen.get((None, kind))
            usual = _usual(user, kind, general=general if study else None)
            self.fields[kind.value] = forms.ChoiceField(
                label=kind.label,
                required=False,
                choices=[(AS_USUAL, usual), *How.choices],
                initial=chosen.get((study.pk if study else None, kind), AS_USUAL),
            )

    @property
    def hows(self) -> Mapping[Kind, How | None]:
        values = {kind: self.cleaned_data[kind.value] for kind in self.kinds}
        return {kind: How(value) if value else None for kind, value in values.items()}


def _usual(user: User, kind: Kind, *, general: How | None) -> str:
    """Say what holds where nothing is chosen."""
    if general:
        return f"As for all studies: {_lower(general.label)}"
    own = default_for(user, kind, is_member=True)
    other = default_for(user, kind, is_member=False)
    if own == other or not user.has_perm(SEES_ALL):
        return f"As usual: {_lower(own.label)}"
    return f"As usual: {_lower(own.label)}; where you are no member, {_lower(other.label)}"


def _lower(label: str) -> str:
    return label[:1].lower() + label[1:]


class HookForm(forms.Form):
    """The address of a study, which is kept like a password and never shown again."""

    address = forms.URLField(
        label="Address",
        required=False,
        max_length=2000,
        assume_scheme="https",
        widget=forms.URLInput(attrs={"autocomplete": "off", "spellcheck": "false", "size": 60}),
        help_text="Where each message is posted, such as the incoming webhook of a chat. It begins with "
        "https:// and is reachable from the internet.",
    )
    kinds = forms.MultipleChoiceField(
        label="What is posted",
        required=False,
        choices=[(kind, Kind(kind).label) for kind in RIGHTS],
        widget=forms.CheckboxSelectMultiple,
    )
    is_on = forms.BooleanField(label="Post them", required=False, initial=True)
    new_secret = forms.BooleanField(
        label="Make a new key",
        required=False,
        help_text="The old one ends at once. The new one is shown once, after saving.",
    )

    def __init__(self, data: Any = None, *, hook: AlertHook | None) -> None:
        shown = {"kinds": hook.kinds, "is_on": hook.is_on} if hook else {"kinds": list(RIGHTS)}
        super().__init__(data, initial=shown)
        if hook:
            self.fields["address"].help_text += " Leave it empty to keep the one there is."
        else:
            self.fields["address"].required = True
            del self.fields["new_secret"]
