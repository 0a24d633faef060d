"""A web batch is ordinary rows without a provider: no sweep asks about it, fails at it or pays for it."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import structlog

from crowd.winogavil.models import Game
from crowd.winogavil.play.models import Turn, WebGame
from crowd.winogavil.services.solve_places import grow_solving
from hits.batches.services import batch_counters, batch_lifecycle, hit_changes, sending_hits
from hits.core.errors import ProviderRefused, RuleBroken
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.ledger.services import rewards
from hits.payments.models.matches import Match
from hits.payments.queries.match_rows import accounts_for
from hits.payments.services import accrual, paying, three_way_match
from hits.people.services import blocking, worker_letters
from hits.providers.gateway import registry
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.sync.services import event_inbox, full_scan, push_decisions, reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from scoring.services.score_recording import judge_submitted
from tests.crowd.winogavil.play.table import make_game, make_player, play, take_turn, work_through
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(days=2)
SWEEPS: dict[str, Callable[..., object]] = {
    "launch": sending_hits.send_launching_batches,
    "changes": hit_changes.send_changes,
    "notices": event_inbox.handle_notices,
    "queues": event_inbox.poll_queues,
    "subscribe": event_inbox.subscribe_batches,
    "reconcile": reconciling.reconcile,
    "survey": full_scan.survey,
    "decisions": push_decisions.send_decisions,
    "blocks": blocking.send_blocks,
    "messages": worker_letters.send_messages,
    "figures": batch_counters.refresh_stale,
    "judge": judge_submitted,
    "approve": push_decisions.approve_judged,
    "owe": accrual.owe_bonuses,
    "book": rewards.book_rewards,
    "pay": paying.pay_bonuses,
    "confirm": paying.confirm_bonuses,
    "match": three_way_match.match_accounts,
    "grow": grow_solving,
}


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch) -> WebGame:
    """A game with final, submitted and open work, and no provider that could be reached."""

    def unreachable(**_: Any) -> None:
        pytest.fail("A provider was asked for.")

    monkeypatch.setattr(registry, "_boto_provider", unreachable)
    game = make_game()
    players = [make_player(game) for _ in range(4)]
    for _ in range(3):
        for player in players:
            play(player)
            work_through()
    take_turn(make_player(game))
    return game


@pytest.fixture
def warnings() -> Iterator[list[Any]]:
    with structlog.testing.capture_logs() as logs:
        yield logs


@pytest.mark.parametrize("name", list(SWEEPS))
def test_sweep_leaves_players_work_alone(name: str, game: WebGame, warnings: list[Any]) -> None:
    before = (
        set(Batch.objects.values_list("pk", "status")),
        set(Turn.objects.values_list("pk", "status")),
        set(HIT.objects.values_list("pk", "status", "look_at", "problem")),
    )

    SWEEPS[name](now=NOW)

    assert before == (
        set(Batch.objects.values_list("pk", "status")),
        set(Turn.objects.values_list("pk", "status")),
        set(HIT.objects.values_list("pk", "status", "look_at", "problem")),
    )
    assert [log for log in warnings if log["log_level"] != "info"] == []


def test_all_sweeps_together_settle_the_work_and_move_no_money(game: WebGame) -> None:
    for now in (NOW, LATER, LATER + timedelta(days=1)):
        for sweep in SWEEPS.values():
            sweep(now=now)

    done = Assignment.objects.filter(status=Assignment.Status.APPROVED)
    assert done.filter(owed_at=None, judged_at__isnull=False).count() == 0
    assert done.filter(booked_at=None).count() == 0
    # A player who left the page open has given the work back by now.
    assert Assignment.objects.filter(status=Assignment.Status.OPENED).count() == 0
    assert set(Batch.objects.values_list("status", "reserved")) == {("open", Decimal(0))}
    assert (Bonus.objects.count(), Match.objects.count()) == (0, 0)
    assert set(LedgerEntry.objects.values_list("kind", flat=True)) == {LedgerEntry.Kind.GRANTED}


def test_batch_of_players_never_grows_by_hits(game: WebGame) -> None:
    Game.objects.filter(study=game.study).update(solve_batch=game.solve_batch, grows=True)

    grow_solving(now=NOW)

    assert HIT.objects.exclude(status=HIT.Status.CLOSED).count() == 0
    assert Batch.objects.get(pk=game.solve_batch_id).status == Batch.Status.OPEN


def test_account_of_players_has_no_provider_and_no_money(game: WebGame) -> None:
    account = Account.objects.get(kind=Account.Kind.WEB)

    with pytest.raises(ProviderRefused, match="no provider"):
        provider_for(account)

    assert account not in Account.objects.connected()
    assert account not in accounts_for(make_user(is_superuser=True))


@pytest.mark.parametrize("verb", ["pause_batch", "drain_batch", "cancel_batch"])
def test_batch_of_players_is_not_steered(verb: str, game: WebGame) -> None:
    batch = Batch.objects.get(pk=game.create_batch_id)

    with pytest.raises(RuleBroken, match="This batch has no provider"):
        getattr(batch_lifecycle, verb)(batch=batch, by=make_user(is_superuser=True), now=NOW)

    batch.refresh_from_db()
    assert (batch.status, batch.cancelled_at) == (Batch.Status.OPEN, None)


def test_batch_of_players_gets_no_hits_and_no_time(game: WebGame) -> None:
    batch, by = Batch.objects.get(pk=game.solve_batch_id), make_user(is_superuser=True)
    hits = HIT.objects.filter(batch=game.solve_batch)
    before = list(hits.order_by("pk").values())

    with pytest.raises(RuleBroken, match="This batch has no provider"):
        batch_lifecycle.add_hits(batch=batch, count=1, by=by, now=NOW)
    with pytest.raises(RuleBroken, match="This batch has no provider"):
        batch_lifecycle.extend_hits(hits=hits, seconds=60, by=by, now=NOW)

    assert list(hits.order_by("pk").values()) == before


def test_players_get_no_letters_and_no_hard_blocks(game: WebGame) -> None:
    worker = game.players.order_by("pk")[0].worker
    by = make_user(is_superuser=True)

    with pytest.raises(RuleBroken, match="These people cannot be written to"):
        worker_letters.write_message(
            account=worker.account, study=None, workers=[worker], subject="Hi", text="Hi", by=by, now=NOW
        )
    with pytest.raises(RuleBroken, match="soft block"):
        blocking.block_worker(worker=worker, kind="hard", reason="spam", by=by, now=NOW)

    assert (worker.messages.count(), worker.blocks.count()) == (0, 0)
