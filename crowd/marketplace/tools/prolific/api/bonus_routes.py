"""Bonuses, in two steps: a set-up that pays nothing, and its payment, which pays again when repeated."""

from decimal import Decimal, InvalidOperation

from crowd.marketplace.tools.prolific.api.routing import Answer, Asked, route
from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.cost_rules import cost_of
from crowd.marketplace.tools.prolific.state.entities import BonusSetup, Study, Submission
from crowd.marketplace.tools.prolific.state.prolific_world import World, find, new_id
from crowd.marketplace.tools.prolific.state.wallets import check_funds, pay_bonuses, take_turn

MOST_ROWS = 200


@route("POST", "/submissions/bonus-payments/")
def set_up_bonuses(world: World, asked: Asked) -> Answer:
    """Amounts come in units of the currency, `30` being 30.00, and are answered in cents."""
    study = find(world.studies, asked.body["study_id"])
    rows = _read_rows(study, asked.body["csv_bonuses"])
    cost = cost_of(sum(cents for _, cents in rows), fee_rate=study.workspace.fee_rate)
    setup = BonusSetup(id=new_id(), study=study, rows=tuple(rows), cost=cost)
    world.setups[setup.id] = setup
    return Answer(
        status=201,
        body={
            "id": setup.id,
            "study": study.id,
            "amount": cost.rewards,
            "fees": cost.fees,
            "vat": cost.vat,
            "total_amount": cost.total,
        },
    )


@route("POST", "/bulk-bonus-payments/{id}/pay/")
def pay_bonus_setup(world: World, asked: Asked) -> Answer:
    """Accept the payment and pay a little later. Nothing remembers that it was asked before."""
    setup = find(world.setups, asked.params["id"])
    check_funds(world, setup.study.workspace, setup.cost.total)
    take_turn(world, setup.study.workspace)
    world.agenda.add(world.later(), lambda at: pay_bonuses(world, setup.id, at))
    return Answer(status=202, body={"message": "The payment of these bonuses has been accepted."})


def _read_rows(study: Study, text: str) -> list[tuple[Submission, int]]:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    if not 0 < len(lines) <= MOST_ROWS:
        raise Refused(400, {"csv_bonuses": [f"Between 1 and {MOST_ROWS} rows are possible."]})
    by_id = {one.participant.id: one for one in study.submissions}
    by_id.update({one.id: one for one in study.submissions})
    named = [line.partition(",") for line in lines]
    unknown = [key.strip() for key, _, _ in named if key.strip() not in by_id]
    if unknown:
        raise Refused(400, [f"{key} is no participant or submission of this study." for key in unknown])
    return [(by_id[key.strip()], _cents(amount)) for key, _, amount in named]


def _cents(text: str) -> int:
    """Raises Refused unless it is a positive number of whole cents."""
    try:
        cents = Decimal(text.strip()) * 100
    except InvalidOperation:
        raise Refused(400, {"csv_bonuses": [f"{text.strip()!r} is not an amount."]}) from None
    if not cents.is_finite() or cents <= 0 or cents != cents.to_integral_value():
        raise Refused(400, {"csv_bonuses": [f"{text.strip()!r} is not an amount that can be paid."]})
    return int(cents)
