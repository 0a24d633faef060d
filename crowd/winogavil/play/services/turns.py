"""Players' turns. The rows decide whose turn it is: reload, back button and a second tab change nothing.

A turn is ordinary work on an ordinary HIT, except that nobody posts it anywhere: its HIT is closed from the
first moment, so that no sweep looks for it at a provider and nobody else can take it.
"""

import secrets
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import F
from django.http import QueryDict
from django.utils.translation import gettext as _

from crowd.winogavil.play.models import Player, Standing, Turn
from crowd.winogavil.play.services.turn_scores import facts_at_end
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.blocks import Block
from hits.studies.models import Batch
from hits.studies.services import mark_stale
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.services import leasing

Role, Status = Turn.Role, Turn.Status
Work = Assignment.Status
log = structlog.get_logger()


def find_open_turn(player: Player) -> Turn | None:
    turns = Turn.objects.filter(player=player, status=Status.OPEN)
    return turns.select_related("player", *_BELOW).first()


def take_turn(*, player: Player, now: datetime) -> Turn | None:
    """Return the open turn, or begin the next; None if there is nothing for this player to do at the moment.

    Raises RuleBroken if the game is closed or the player blocked; an open turn may be finished even then.
    """
    if (turn := find_open_turn(player)) and _goes_on(turn, now=now):
        return turn
    _refuse_entry(player)
    for role in _roles_in_turn(player):
        batch = _batch_of(player, role)
        if leasing.items_open_to(batch=batch, worker_id=player.worker_id).exists():
            turn = _begin(player, role, batch, now=now)
            if leasing.lease_items(assignment=turn.assignment, now=now):
                return turn
            _leave(turn, now=now)  # another player was faster
        if role == Role.SOLVE:
            # A solve that is not there is not owed: no player waits for others before inventing the next cue.
            Player.objects.filter(pk=player.pk).update(solves_owed=0)
    return None


def hand_in(*, player: Player, work: str, form: QueryDict, now: datetime) -> Turn:
    """Save, submit and approve work at once: nobody has to pay. Raises InvalidAnswer or RuleBroken."""
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(pk=player.pk)
        turn = find_open_turn(player)
        if turn is None or str(turn.assignment.public_id) != work:
            raise RuleBroken("not_your_turn", _("This was submitted before, or its time is over."))
        assignment = turn.assignment
        if assignment.status == Work.OPENED:
            family = leasing.family_of_batch(assignment.hit.batch)
            items = leasing.items_of(assignment)
            answer = family.read_answer(form=form, assignment=assignment, items=items)
            leasing.save_answer(assignment=assignment, answer=answer, now=now)
        _finish(turn, now=now)
    return turn


def skip(*, player: Player, work: str, now: datetime) -> None:
    """Leave the turn for other pictures. Raises RuleBroken if the model was asked about these already."""
    turn = find_open_turn(player)
    if turn is None or str(turn.assignment.public_id) != work:
        return
    if turn.role != Role.CREATE or turn.assignment.rival_queries.exists():
        raise RuleBroken("no_skipping", _("You have begun this one: finish it first."))
    _leave(turn, now=now)


def leave_open_turn(*, player: Player, now: datetime) -> None:
    if turn := find_open_turn(player):
        _leave(turn, now=now)


_BELOW = ("assignment__hit__batch__study", "assignment__account", "assignment__worker")


def _goes_on(turn: Turn, *, now: datetime) -> bool:
    """True if the turn is still open. Ends it otherwise, and submits work that a crash left only saved."""
    work = turn.assignment
    if work.status == Work.SAVED:
        with transaction.atomic():
            _finish(turn, now=now)
        return False
    if work.status == Work.OPENED and now < work.deadline_at:
        items = leasing.lease_items(assignment=work, now=now)
        if items and not any(item.pulled_at for item in items):
            return True
    _leave(turn, now=now)
    return False


def _refuse_entry(player: Player) -> None:
    if not player.game.is_open:
        raise RuleBroken("closed", _("The game is closed at the moment. Your figures stay here."))
    if Block.objects.in_force().filter(worker=player.worker_id).exists():
        raise RuleBroken(
            "blocked", _("You cannot play any more. If you think that is a mistake, write to us.")
        )


def _roles_in_turn(player: Player) -> tuple[Turn.Role, ...]:
    """Roles in the order to try: the next one, and the other if there is no work for it."""
    owed = Player.objects.values_list("solves_owed", flat=True).get(pk=player.pk)
    return (Role.SOLVE, Role.CREATE) if owed else (Role.CREATE, Role.SOLVE)


def _batch_of(player: Player, role: Turn.Role) -> Batch:
    game = player.game
    return game.create_batch if role == Role.CREATE else game.solve_batch


def _begin(player: Player, role: Turn.Role, batch: Batch, *, now: datetime) -> Turn:
    """Begin a turn under the player's lock: of two tabs at once, the second finds the turn of the first."""
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(pk=player.pk)
        if known := find_open_turn(player):
            return known
        hit = HIT.objects.create(
            batch=batch,
            status=HIT.Status.CLOSED,
            external_id=_new_id(),
            max_assignments=1,
            sent_at=now,
            closed_at=now,
        )
        assignment = leasing.open_assignment(
            hit=hit,
            worker=player.worker,
            external_id=_new_id(),
            accepted_at=now,
            deadline_at=now + timedelta(seconds=batch.duration_s),
            now=now,
        )
        return Turn.objects.create(player=player, assignment=assignment, role=role, began_at=now)


def _finish(turn: Turn, *, now: datetime) -> None:
    """Finish and count a turn. Compare and swap: only the first call counts. The caller has a transaction."""
    work = turn.assignment
    if not move(turn, Status.DONE, ended_at=now, **facts_at_end(turn, now=now)):
        return
    move(work, Work.SUBMITTED, submitted_at=now)
    move(work, Work.APPROVED, approved_at=now)
    counted = "cues" if turn.role == Role.CREATE else "solves"
    Standing.objects.filter(player=turn.player_id).update(**{counted: F(counted) + 1})
    player = Player.objects.filter(pk=turn.player_id)
    if turn.role == Role.CREATE:
        player.update(solves_owed=turn.player.game.solves_per_cue)
    else:
        player.filter(solves_owed__gt=0).update(solves_owed=F("solves_owed") - 1)
    mark_stale(work.hit.batch_id)
    log.info("turn.done", role=turn.role, assignment=str(work.public_id))


def _leave(turn: Turn, *, now: datetime) -> None:
    """Give up the turn; the items that it leased go back to others."""
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(pk=turn.player_id)
        if move(turn, Status.LEFT, ended_at=now):
            leasing.give_up(turn.assignment, now=now)


def _new_id() -> str:
    """Id in place of a provider's; random, so that nobody can claim it."""
    return f"WEB{secrets.token_hex(14).upper()}"
