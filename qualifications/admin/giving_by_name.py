"""A gate given to people by pseudonym or provider's id, after a confirmation that shows whom they name."""

import re
from dataclasses import dataclass
from functools import partial

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.html import format_html

from hits.admin.actions import Action, Call, Confirm, Outcome, one_by_one
from hits.admin.actions.action_pages import ActionPages
from hits.admin.actions.reason_form import OneLine
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.people.queries.worker_record import workers_for
from hits.people.services.disclosures import name_by_external_id, open_to
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from qualifications.admin.finding_gates import BASE, GRADE, HOLDINGS, find_gate, shared_of
from qualifications.admin.holding_changes import COLLEAGUES, GIVE, LONGEST
from qualifications.models import Gate, Holding
from qualifications.services import gate_holdings as services

MOST = 500
# A provider's worker id, as MTurk and the marketplace write it.
PROVIDERS_ID = re.compile(r"A[A-Z0-9]{5,63}")
SEEN_BY_YOU = (
    "You see workers who have worked in one of your studies. Name them by pseudonym; a worker id lets in "
    "somebody who has not worked here yet."
)
# Nobody here knows workers' names: they are the marketplace's, and its operators'.
WHERE_IDS_STAND = (
    "Names are not known here. On this site's own marketplace the operator's desk lists each worker with the "
    "id, which begins with A, and workers read their own under Settings."
)
NO_ACCOUNT = "Worker ids count once the study has a batch, whose account they belong to."


@dataclass(frozen=True, kw_only=True)
class NamedWorkers:
    """Workers whom a list names, as far as the user may see them; `invited` by their worker ids."""

    workers: list[Worker]
    invited: list[str]
    unknown: list[str]
    held: set[int]
    account: Account | None

    @property
    def getting(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.pk not in self.held]

    @property
    def count(self) -> int:
        return len(self.getting) + len(self.invited)


class GiveForm(forms.Form):
    pseudonyms = forms.CharField(
        label="Workers, by pseudonym or worker id",
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )

    reason = OneLine(max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 3}), help_text=COLLEAGUES)

    def __init__(self, data: QueryDict | None, call: Call[Gate]) -> None:
        super().__init__(data, label_suffix="")
        self.gate, self.user = call.row, call.by
        self.account = account_of(call.row.study)
        at = f"the worker id at {self.account}" if self.account else f"the worker id. {NO_ACCOUNT}"
        self.fields["pseudonyms"].help_text = (
            "Who has worked here: the pseudonym, such as w-abcdefghij. Whom you have invited and who has not "
            f"worked yet: {at.rstrip('.')}. Separated by spaces, commas or lines; at most {MOST} at once."
        )

    def clean_pseudonyms(self) -> NamedWorkers:
        names = list(dict.fromkeys(re.split(r"[\s,;]+", self.cleaned_data["pseudonyms"].strip())))
        if len(names) > MOST:
            raise ValidationError(f"These are {len(names)}; give it to {MOST} at once.")
        found = _find(self.gate, names, user=self.user, account=self.account)
        if not found.count:
            raise ValidationError(f"None of these workers can get it. {_in_words(found)}")
        return found


def account_of(study: Study) -> Account | None:
    """The account to which worker ids of a study belong: that of its newest batch, or the only one."""
    connected = Account.objects.connected()
    newest = connected.filter(batches__study=study).order_by("batches__pk").last()
    return newest or (connected.get() if connected.count() == 1 else None)


def _find(gate: Gate, names: list[str], *, user: User, account: Account | None) -> NamedWorkers:
    """Find the workers of these pseudonyms and ids, in a few queries."""
    workers = list(workers_for(user).filter(pseudonym__in=names).order_by("pseudonym"))
    passed = Holding.objects.filter(gate=gate, worker__in=workers, value=Holding.Value.PASSED)
    ids = [name for name in names if PROVIDERS_ID.fullmatch(name)]
    invited = open_to(user, account=account, external_ids=ids) if account else []
    known = {*(worker.pseudonym for worker in workers), *invited}
    return NamedWorkers(
        workers=workers,
        invited=invited,
        unknown=[name for name in names if name not in known],
        held=set(passed.values_list("worker", flat=True)),
        account=account,
    )


def _in_words(found: NamedWorkers) -> str:
    held = f"{len(found.held)} hold{pluralize(found.held, 's,')} it already. " if found.held else ""
    lacking = f"Not found: {', '.join(found.unknown)}. {SEEN_BY_YOU} {WHERE_IDS_STAND}"
    return f"{held}{lacking}" if found.unknown else held


def _ask_to_give(call: Call[Gate]) -> Confirm:
    title = f"Give by hand: {call.row.name}"
    if "pseudonyms" not in call.values:
        return Confirm(title=title)
    found: NamedWorkers = call.values["pseudonyms"]
    count = found.count
    text = format_html(
        "<strong>{} worker{}</strong> {} it, and may do what it opens, whatever the tests say.{}",
        count,
        pluralize(count),
        pluralize(count, "gets,get"),
        f" {len(found.held)} hold{pluralize(found.held, 's,')} it already." if found.held else "",
    )
    unknown = format_html(
        "<strong>Not found:</strong> {}. {}", ", ".join(found.unknown), f"{SEEN_BY_YOU} {WHERE_IDS_STAND}"
    )
    return Confirm(
        title=title,
        text=text,
        problem=unknown if found.unknown else "",
        detail="admin/qualifications/holding/found.html",
        details={"found": found},
        consequences=[f"Reason: {call.values['reason']}"],
        button=f"Give it to {count}",
        # Pseudonyms that were not found are left out, so that they get nothing if they become known later.
        hidden=[("pseudonyms", " ".join([*(one.pseudonym for one in found.workers), *found.invited]))],
    )


def _give(call: Call[Gate]) -> Outcome:
    found, reason = call.values["pseudonyms"], call.values["reason"]
    name = partial(name_by_external_id, account=found.account, user=call.by, reason=reason, now=call.now)
    workers = [*found.getting, *(name(external_id=one) for one in found.invited)]
    give = partial(services.give, gate=call.row, by=call.by, reason=reason, now=call.now)
    given, problems = one_by_one(workers, lambda worker: give(worker=worker))
    holdings = f"{reverse('admin:qualifications_holding_changelist')}?gate={call.row.pk}"
    said = f"Given to {given} worker{pluralize(given)}." if given else ""
    return Outcome(said=said, problems=problems, to=holdings)


GIVING = ActionPages(
    actions={
        GIVE: Action(
            label="Give by hand",
            permissions=(HOLDINGS, GRADE),
            form=GiveForm,
            two_steps=True,
            confirm=_ask_to_give,
            run=_give,
        )
    },
    find=lambda request, gate_pk: [find_gate(request, gate_pk, HOLDINGS, GRADE)],
    back=lambda gates: reverse("admin:qualifications_gate_change", args=[gates[0].pk]),
    base=BASE,
    shared=lambda gates: shared_of(gates[0]),
)
give_view = GIVING.view(GIVE)
