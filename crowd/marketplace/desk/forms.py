"""The desk's forms. Text that a database cannot keep is refused here."""

import re
from collections.abc import Sequence
from decimal import Decimal

from django import forms
from django.conf import settings
from django.core.validators import validate_email
from django.http import QueryDict

from crowd.marketplace import countries, domain
from crowd.marketplace.models import Complaint, Layout, LedgerEntry, Payout
from crowd.marketplace.models.parties import Message, Requester, Worker
from crowd.marketplace.services.email_addresses import are_emails_sent
from crowd.marketplace.services.trial_hits import MOST_REWARD
from crowd.marketplace.services.workers import Invited

MOST_INVITED = 500
LINE_END = re.compile(r"\r\n|\r|\n")
COUNTRIES = [("", "Not known"), *countries.countries_by_name()]
LONGEST_NOTE = LedgerEntry._meta.get_field("subject").max_length

NOTE_HELP = "Shown in the ledger: for example, the number of an invoice."


def _width(model: type, field: str) -> int:
    width: int = model._meta.get_field(field).max_length  # type: ignore[attr-defined]
    return width


class AmountField(forms.DecimalField):
    """Dollars with whole cents."""

    def __init__(
        self, *, least: Decimal = domain.CENT, most: Decimal = Requester.MOST_MONEY, **options: object
    ) -> None:
        super().__init__(
            min_value=least,
            max_value=most,
            decimal_places=2,
            widget=forms.NumberInput(attrs={"step": "0.01", "inputmode": "decimal"}),
            **options,  # type: ignore[arg-type]
        )


class FeesField(forms.CharField):
    def __init__(self) -> None:
        super().__init__(
            label="Fee schedule",
            max_length=16,
            help_text="none, amazon (20 %, or 40 % from ten assignments on), or a rate such as 5%",
        )

    def clean(self, value: object) -> str:
        text = str(super().clean(value))
        try:
            domain.fee_schedule(text)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None
        return text


class SignInForm(forms.Form):
    sign_in_name = forms.CharField(
        label="Sign-in name",
        max_length=64,
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autofocus": True, "autocapitalize": "none"}
        ),
    )
    password = forms.CharField(
        max_length=1000,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class NameForm(forms.Form):
    name = forms.CharField(
        max_length=_width(Requester, "name"), help_text="Workers see it beside the work and in letters."
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if Requester.objects.filter(name=name).exists():
            raise forms.ValidationError("There is a requester of that name already.")
        return name


class RequesterForm(NameForm):
    fee_schedule = FeesField()
    deposit = AmountField(
        label="First deposit in dollars", least=Decimal(0), required=False, help_text="Empty for none."
    )
    note = forms.CharField(
        label="Note on the deposit", max_length=LONGEST_NOTE, required=False, help_text=NOTE_HELP
    )


class FeesForm(forms.Form):
    fee_schedule = FeesField()


class TransferForm(forms.Form):
    amount = AmountField(label="Amount in dollars")
    note = forms.CharField(
        max_length=LONGEST_NOTE,
        required=False,
        help_text=NOTE_HELP,
    )


class TrialForm(forms.Form):
    reward = AmountField(label="Reward in dollars", most=MOST_REWARD, help_text="Some cents are enough.")


class LayoutForm(forms.Form):
    name = forms.CharField(max_length=_width(Layout, "name"))
    html = forms.CharField(
        label="HTML",
        help_text="The whole page. ${name} is replaced by the value that a HIT gives for name.",
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "class": "code"}),
    )
    frame_height = forms.IntegerField(
        label="Height of the frame in pixels",
        min_value=0,
        max_value=10_000,
        initial=0,
        help_text="0 for automatic height.",
    )


WHO_SEES_NAMES = "As you would greet each worker. The worker and operators see it; requesters do not."
AS_FILES = (
    "With an e-mail address behind a comma, an e-mail with the link is also written into the folder “emails” "
    "of the data folder: no mail server is set (CROWD_EMAIL_URL)."
)


class InviteForm(forms.Form):
    names = forms.CharField(
        label="Names, one on each line",
        max_length=MOST_INVITED * 300,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=f"{WHO_SEES_NAMES} With an e-mail address behind a comma, the link is sent there as well.",
    )

    def __init__(self, data: QueryDict | None = None) -> None:
        super().__init__(data)
        if not are_emails_sent():
            self.fields["names"].help_text = WHO_SEES_NAMES
        elif settings.MARKETPLACE_EMAILS_ARE_FILES:
            self.fields["names"].help_text = f"{WHO_SEES_NAMES} {AS_FILES}"

    def clean_names(self) -> list[Invited]:
        lines = [line.strip() for line in LINE_END.split(self.cleaned_data["names"]) if line.strip()]
        if not lines or len(lines) > MOST_INVITED:
            raise forms.ValidationError(f"Invite at least one, and at most {MOST_INVITED} at once.")
        invited = [_read_invited(line) for line in lines]
        self._refuse_names([one.name for one in invited])
        if not are_emails_sent() and any(one.address for one in invited):
            raise forms.ValidationError(
                "No mail server is set (CROWD_EMAIL_URL), so nothing can be sent. Leave out the addresses."
            )
        return invited

    def _refuse_names(self, names: Sequence[str]) -> None:
        longest = _width(Worker, "name")
        if "" in names:
            raise forms.ValidationError("A line with an address needs a name and a comma before it.")
        if too_long := [name for name in names if len(name) > longest]:
            raise forms.ValidationError(f"A name has at most {longest} characters: {too_long[0][:80]}")
        if unprintable := [name for name in names if not name.isprintable()]:
            raise forms.ValidationError(f"A name may not have tabs or invisible characters: {unprintable[0]}")


def _read_invited(line: str) -> Invited:
    """The name, and what stands behind the last comma if it is meant as an address: a name has commas too."""
    name, _, address = line.rpartition(",")
    if "@" not in address:
        return Invited(name=line)
    try:
        validate_email(address.strip())
    except forms.ValidationError:
        raise forms.ValidationError(f"This is no e-mail address: {address.strip()[:80]}") from None
    return Invited(name=name.strip(), address=address.strip())


class FactsForm(forms.Form):
    country = forms.ChoiceField(required=False, choices=COUNTRIES)
    subdivision = forms.RegexField(
        "^[A-Za-z0-9]{1,3}$",
        label="State or region",
        required=False,
        max_length=3,
        help_text="The short code: PA for Pennsylvania (US-PA).",
    )
    is_adult = forms.BooleanField(label="Is an adult", required=False)
    is_master = forms.BooleanField(label="Is a Master", required=False)

    def clean_subdivision(self) -> str:
        return str(self.cleaned_data["subdivision"]).upper()

    def clean(self) -> None:
        if self.cleaned_data.get("subdivision") and not self.cleaned_data.get("country"):
            self.add_error("country", "A state or region needs its country.")


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=400, help_text="Only operators see it; it is kept in the log.")


class MessageForm(forms.Form):
    subject = forms.CharField(max_length=_width(Message, "subject"))
    text = forms.CharField(max_length=Complaint.LONGEST, widget=forms.Textarea(attrs={"rows": 8}))


TELL_WORKERS = "Tell this reason to the workers who have begun it"
KEPT_IN_THE_LOG = "It is kept in the log. Others read it only if you tick that."


class EndWorkForm(forms.Form):
    reason = forms.CharField(max_length=400, help_text=KEPT_IN_THE_LOG)
    tells_reason = forms.BooleanField(label=TELL_WORKERS, required=False)


class TakeDownForm(forms.Form):
    reason = forms.CharField(max_length=400, help_text=KEPT_IN_THE_LOG)
    tells_requester = forms.BooleanField(
        label="Tell the requester this reason",
        required=False,
        initial=True,
        help_text="Their programs find it by ListReviewPolicyResultsForHIT.",
    )
    tells_reason = forms.BooleanField(label=TELL_WORKERS, required=False)
    ends_work = forms.BooleanField(
        label="End the work that was begun too",
        required=False,
        help_text="What they have entered is lost and not paid, and does not count against them.",
    )

    def __init__(self, data: QueryDict | None, *, has_begun: bool) -> None:
        super().__init__(data)
        if not has_begun:
            del self.fields["tells_reason"], self.fields["ends_work"]


class AnswerForm(forms.Form):
    answer = forms.CharField(
        label="Your answer",
        max_length=Complaint.LONGEST,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="The worker gets it as a message. It also stands beside what they reported.",
    )


class EraseForm(forms.Form):
    """A form in which the worker id is typed, so that no worker is erased by a slip."""

    worker_id = forms.CharField(label="Worker id", max_length=64)
    in_spite_of = forms.BooleanField(
        label="Yes, although this worker loses open work or money", required=False
    )

    def __init__(self, *args: object, expected: str, has_obstacles: bool, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        self._expected = expected
        if not has_obstacles:
            del self.fields["in_spite_of"]

    def clean_worker_id(self) -> str:
        if self.cleaned_data["worker_id"].strip() != self._expected:
            raise forms.ValidationError(f"Type {self._expected}, the id of the worker to erase.")
        return self._expected


class PaymentsForm(forms.Form):
    lines = forms.CharField(
        label="Worker id and amount on each line",
        max_length=500_000,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "code"}),
        help_text="You can also paste the exported file without changes.",
    )


class PaidForm(PaymentsForm):
    reference = forms.CharField(
        max_length=_width(Payout, "reference"),
        required=False,
        help_text="Of the transfer, for your books; it can be added later. The worker sees it too.",
    )


class ReferenceForm(forms.Form):
    reference = forms.CharField(
        max_length=_width(Payout, "reference"), help_text="You and the worker see it beside the payout."
    )
