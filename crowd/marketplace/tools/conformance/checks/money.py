"""Balances, fees, bonuses."""

from decimal import Decimal

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.outcomes import same
from crowd.marketplace.tools.conformance.registry import check
from crowd.marketplace.tools.conformance.requester import Requester

MASTERS = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"


@check(6, 'GetAccountBalance fresh "10000.00"')
def fresh_balance(bench: Bench) -> None:
    same("AvailableBalance", bench.requester().api.get_account_balance()["AvailableBalance"], "10000.00")


@check(50, "SendBonus wrong worker -> error; in-flight assignment -> does not exist")
def bonus_astray(bench: Bench) -> None:
    requester, worker, stranger = bench.requester(), bench.worker(), bench.worker()
    hit = requester.post(MaxAssignments=2)
    done, in_flight = worker.do(hit), stranger.accept(hit).assignment_id
    balance = requester.balance()
    bonus = {"BonusAmount": "1.00", "Reason": "Well done."}
    requester.refused("send_bonus", **bonus, WorkerId=stranger.external_id, AssignmentId=done)
    requester.refused(
        "send_bonus",
        **bonus,
        WorkerId=stranger.external_id,
        AssignmentId=in_flight,
        code="AssignmentDoesNotExist",
    )
    same("bonuses", requester.bonuses(HITId=hit["HITId"]), [])
    same("balance", requester.balance(), balance)


@check(51, "SendBonus beyond the balance with fee -> InsufficientFunds")
def bonus_too_large(bench: Bench) -> None:
    requester, worker = bench.requester(deposit="10.00"), bench.worker()
    assignment_id = worker.do(requester.post(Reward="0.03"))
    same("balance", requester.balance(), Decimal("9.96"))
    bonus = {"WorkerId": worker.external_id, "AssignmentId": assignment_id, "Reason": "Well done."}
    requester.refused("send_bonus", **bonus, BonusAmount="8.31", code="InsufficientFunds")
    same("balance", requester.balance(), Decimal("9.96"))
    same("bonuses", requester.bonuses(AssignmentId=assignment_id), [])
    requester.api.send_bonus(**bonus, BonusAmount="8.30")
    same("balance", requester.balance(), Decimal("0.00"))


@check(71, "fees: $0.02 x 1 -> 0.01; $1 x 9 -> 0.20 each; $1 x 10 -> 0.40 each; + Masters -> 0.45 each")
def fees(bench: Bench) -> None:
    requester = bench.requester()
    masters = [{"QualificationTypeId": MASTERS, "Comparator": "Exists", "ActionsGuarded": "Accept"}]
    same("fee of $0.02 x 1", _fee(requester, "0.02", 1), Decimal("0.01"))
    same("fee of $1 x 9", _fee(requester, "1.00", 9), Decimal("0.20"))
    same("fee of $1 x 10", _fee(requester, "1.00", 10), Decimal("0.40"))
    same("fee of $1 x 10, Masters", _fee(requester, "1.00", 10, masters), Decimal("0.45"))


def _fee(requester: Requester, reward: str, count: int, requirements: object = None) -> Decimal:
    """The fee for each assignment, from the change of the balance."""
    before = requester.balance()
    requester.post(Reward=reward, MaxAssignments=count, QualificationRequirements=requirements)
    return (before - requester.balance()) / count - Decimal(reward)
