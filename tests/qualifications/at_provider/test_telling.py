"""Holdings are sent to the provider: through refusals, unclear outcomes, changes and killed senders."""

from datetime import timedelta
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import LazySettings
from structlog.testing import capture_logs

from hits.core.errors import ProviderRefused
from hits.providers.gateway import registry
from qualifications.models import Attempt, Holding, PlatformType
from qualifications.services.gate_holdings import set_value
from qualifications.services.sync_grants import CLAIM, MOST_AT_ONCE, retell, tell_holdings
from tests.factories import NOW, make_account, make_worker
from tests.qualifications.platforms import OWN_TEST, make_gate, make_holding, make_type, turk
from tests.stubbed import StubbedTurk

__all__ = ["turk"]
pytestmark = pytest.mark.django_db
LATER = NOW + CLAIM + timedelta(seconds=1)


@pytest.fixture
def ready(turk: StubbedTurk) -> PlatformType:
    return make_type()


def there(turk: StubbedTurk, row: PlatformType) -> dict[str, int]:
    """Values that the provider has, by worker."""
    workers = turk.qualified.get(row.external_id, [])
    return {worker: turk.qualification_values[row.external_id, worker] for worker in workers}


def fresh(holding: Holding) -> tuple[int | None, bool, str]:
    found = Holding.objects.get(pk=holding.pk)
    return found.told, found.is_told, found.problem


def change(holding: Holding, value: int | None, *, minutes: int = 1) -> None:
    now = NOW + timedelta(minutes=minutes)
    set_value(gate=holding.gate, worker=holding.worker, value=value, now=now)


def test_each_value_is_told_once(turk: StubbedTurk, ready: PlatformType) -> None:
    passed, tried = make_holding(ready), make_holding(ready, value=0)

    told = [tell_holdings(now=NOW), tell_holdings(now=LATER)]

    assert told == [2, 0]
    assert there(turk, ready) == {passed.worker.external_id: 1, tried.worker.external_id: 0}
    assert [fresh(holding) for holding in (passed, tried)] == [(1, True, ""), (0, True, "")]


def test_who_has_not_passed_is_told_why(turk: StubbedTurk, ready: PlatformType) -> None:
    failed, passed = make_holding(ready, value=0), make_holding(ready)
    finding = {"measure": "jaccard", "above": 80, "numerator": 29, "denominator": 50, "count": 10}
    Attempt.objects.create(
        gate=ready.gate,
        worker=failed.worker,
        status="failed",
        started_at=NOW,
        graded_at=NOW,
        findings=[finding],
    )

    tell_holdings(now=NOW)

    [(worker, words)] = turk.reasons
    assert worker == failed.worker.external_id != passed.worker.external_id
    assert words.startswith("Not passed. ")
    assert words.endswith("your average was 58 %, and above 80 % is needed.")


def test_holding_that_is_none_any_more_is_taken_back(turk: StubbedTurk, ready: PlatformType) -> None:
    holding = make_holding(ready)
    tell_holdings(now=NOW)

    change(holding, None)
    tell_holdings(now=LATER)

    assert (there(turk, ready), fresh(holding)) == ({}, (None, True, ""))


def test_taking_back_what_the_provider_never_had_counts_as_done(
    turk: StubbedTurk, ready: PlatformType
) -> None:
    holding = make_holding(ready, value=None)

    told = tell_holdings(now=NOW)

    assert (told, fresh(holding)) == (1, (None, True, ""))


def test_holding_waits_for_its_type(turk: StubbedTurk) -> None:
    row = make_type(status="intended", external_id="")
    holding = make_holding(row)
    make_type(gate=row.gate)  # at another account, which is not this worker's

    told = tell_holdings(now=NOW)

    assert (told, turk.calls, fresh(holding)) == (0, [], (None, False, ""))


@pytest.mark.parametrize("fault", ["before", "after"])
def test_unclear_outcome_is_told_again_after_a_rest(
    turk: StubbedTurk, ready: PlatformType, fault: str
) -> None:
    holding = make_holding(ready)
    turk.faults["associate_qualification_with_worker"] = [fault]

    told = [tell_holdings(now=now) for now in (NOW, NOW + timedelta(seconds=5), LATER)]

    assert (told, len(turk.calls), fresh(holding)) == ([0, 0, 1], 2, (1, True, ""))
    assert there(turk, ready) == {holding.worker.external_id: 1}


def test_killed_teller_is_followed_by_another_after_a_rest(turk: StubbedTurk, ready: PlatformType) -> None:
    """The sender died after the call, before it could record the outcome."""
    holding = make_holding(ready, claimed_at=NOW)
    turk.qualified[ready.external_id] = [holding.worker.external_id]

    told = [tell_holdings(now=NOW), tell_holdings(now=LATER)]

    assert (told, there(turk, ready)) == ([0, 1], {holding.worker.external_id: 1})


@pytest.mark.parametrize("last", [0, 1, None])
def test_what_changes_while_it_is_told_is_told_again(
    turk: StubbedTurk, ready: PlatformType, monkeypatch: pytest.MonkeyPatch, last: int | None
) -> None:
    """Another machine has to wait meanwhile: its newer value must not arrive before the older one."""
    holding = make_holding(ready)
    grant = turk.provider.grant_qualification

    def tell_slowly(external_id: str, **values: Any) -> None:
        monkeypatch.setattr(turk.provider, "grant_qualification", grant)
        change(holding, None)
        change(holding, last, minutes=2)
        tell_holdings(now=NOW)
        grant(external_id, **values)

    monkeypatch.setattr(turk.provider, "grant_qualification", tell_slowly)
    told = [tell_holdings(now=NOW), tell_holdings(now=NOW)]

    assert (told, fresh(holding)) == ([0, 1], (last, True, ""))
    assert there(turk, ready) == ({} if last is None else {holding.worker.external_id: last})


def test_refusal_is_shown_with_the_pseudonym_and_told_again_by_a_person(
    turk: StubbedTurk, ready: PlatformType
) -> None:
    worker = make_worker(account=ready.account, external_id="APLANTEDWORKER01")
    holding, other = make_holding(ready, worker=worker), make_holding(ready)
    turk.strangers.add(worker.external_id)

    with capture_logs() as logs:
        told = [tell_holdings(now=NOW), tell_holdings(now=LATER)]
    refused = fresh(holding)
    turk.strangers.clear()
    again = retell(Holding.objects.filter(pk__in=[holding.pk, other.pk]))
    tell_holdings(now=LATER)

    assert (told, refused) == ([1, 0], (None, True, f"There is no worker {worker.pseudonym}."))
    assert worker.external_id not in str(logs)
    assert (again, fresh(holding)) == (1, (1, True, ""))


def test_worker_whose_id_cannot_be_unsealed_keeps_nobody_else_waiting(
    turk: StubbedTurk, ready: PlatformType, settings: LazySettings
) -> None:
    sealed, keys = make_holding(ready), settings.FIELD_KEYS
    settings.FIELD_KEYS = [Fernet.generate_key().decode()]
    account = make_account()
    other = make_holding(make_type(account=account))
    ready.account.secret_access_key = "secret"
    ready.account.save()

    told = tell_holdings(now=NOW)
    problem = fresh(sealed)[2]
    settings.FIELD_KEYS = keys
    retell(Holding.objects.filter(pk=sealed.pk))

    assert (told, fresh(other)) == (1, (1, True, ""))
    assert problem == f"The id of {sealed.worker} cannot be unsealed. Nobody was told."
    assert fresh(sealed) == (None, False, "")


def test_refused_value_that_changes_is_told_without_a_person(turk: StubbedTurk, ready: PlatformType) -> None:
    holding = make_holding(ready)
    turk.faults["associate_qualification_with_worker"] = ["refused"]
    tell_holdings(now=NOW)

    change(holding, 0)
    tell_holdings(now=LATER)

    assert (there(turk, ready), fresh(holding)) == ({holding.worker.external_id: 0}, (0, True, ""))


def test_account_that_cannot_be_used_keeps_only_its_own_waiting(
    turk: StubbedTurk, ready: PlatformType, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = make_account(endpoint="http://broken.invalid")
    rows = [make_holding(make_type(account=broken)), make_holding(ready)]

    def open_provider(*, endpoint: str, **_: object) -> object:
        if endpoint == broken.endpoint:
            raise ProviderRefused("The endpoint cannot be used.", code="BadEndpoint")
        return turk.provider

    monkeypatch.setattr(registry, "_boto_provider", open_provider)
    tell_holdings(now=NOW)

    assert [fresh(row)[1] for row in rows] == [False, True]


def test_holdings_are_told_in_slices(turk: StubbedTurk, ready: PlatformType) -> None:
    for _ in range(MOST_AT_ONCE + 1):
        make_holding(ready)

    told = [tell_holdings(now=NOW) for _ in range(3)]

    assert told == [MOST_AT_ONCE, 1, 0]


@pytest.mark.parametrize(("value", "kept"), [(1, 76), (0, 0), (None, 0)])
def test_value_of_the_providers_own_test_stands_above_the_bar_or_at_the_bottom(
    turk: StubbedTurk, value: int | None, kept: int
) -> None:
    row = make_type(gate=make_gate(**OWN_TEST, passing_value=75))
    holding = make_holding(row, value=value)

    tell_holdings(now=NOW)

    assert there(turk, row) == {holding.worker.external_id: kept}
    assert Holding.objects.get().value_there == kept
