"""Study of recorded work and the people who did it. None of them can be asked or paid."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hits.core import crypto
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Study

LAB = "recorded elsewhere"


def open_study(*, name: str, bonus_rules: Sequence[Mapping[str, Any]]) -> Study:
    """Return the study of this name with its own bonus table, or a new one with this table."""
    study, _ = Study.objects.get_or_create(
        name=name, defaults={"lab": LAB, "bonus_rules": [dict(rule) for rule in bonus_rules]}
    )
    return study


def account_of(study: Study) -> Account:
    """Return the account to which the people of a study's recordings belong."""
    account, _ = Account.objects.get_or_create(
        name=f"Recordings of {study.public_id}",
        defaults={
            "kind": Account.Kind.RECORDED,
            "environment": Account.Environment.MARKETPLACE,
            "currency": study.currency,
        },
    )
    return account


def known_workers(*, account: Account, names: Collection[str]) -> dict[str, Worker]:
    """Return workers by their names in the recording; unknown ones are created."""
    of = str(account.public_id)
    indexes = {crypto.blind_index(of, name): name for name in sorted(names)}
    known = list(Worker.objects.filter(account=account, external_id_index__in=indexes))
    missing = indexes.keys() - {worker.external_id_index for worker in known}
    made = Worker.objects.bulk_create(
        Worker(
            account=account,
            external_id=name,
            external_id_index=index,
            pseudonym=crypto.pseudonym(of, name),
        )
        for index, name in indexes.items()
        if index in missing
    )
    return {indexes[worker.external_id_index]: worker for worker in (*known, *made)}
