"""Faults that a client survives."""

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.outcomes import same
from crowd.marketplace.tools.conformance.registry import check


@check(69, "throttled twice, then ok -> the client succeeds")
def throttled(bench: Bench) -> None:
    requester = bench.requester()
    bench.control.fault("throttle", operation="GetAccountBalance", remaining=2)
    answer = requester.patient_api.get_account_balance()
    same("AvailableBalance", answer["AvailableBalance"], "10000.00")
    same("repeats by boto3", answer["ResponseMetadata"]["RetryAttempts"], 2)
