"""Many at once: the state stands behind one lock."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.crowd.marketplace.prolific.prolific_calls import Client

pytestmark = pytest.mark.pure

MANY = 24


def test_no_more_take_part_than_there_are_places(client: Client) -> None:
    study_id = client.publish(total_available_places=5)
    people = [client.stand_in.controls.add_participant() for _ in range(MANY)]

    with ThreadPoolExecutor(MANY) as pool:
        told = list(
            pool.map(lambda one: client.control("take-part", study_id=study_id, participant_id=one), people)
        )

    assert sum("error" not in one for one in told) == 5
    assert client.get(f"/studies/{study_id}/").body["places_taken"] == 5


def test_every_accepted_payment_leaves_the_wallet(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id)
    csv = f"{submission_id},0.50"
    setup = client.post("/submissions/bonus-payments/", study_id=study_id, csv_bonuses=csv).body
    before = client.balance()["total_balance"]

    with ThreadPoolExecutor(MANY) as pool:
        asked = [pool.submit(client.post, f"/bulk-bonus-payments/{setup['id']}/pay/") for _ in range(MANY)]

    assert {one.result().status for one in asked} == {202}
    assert before - client.balance()["total_balance"] == MANY * setup["total_amount"]
    assert client.get(f"/submissions/{submission_id}/").body["bonus_payments"] == [50] * MANY


def test_approving_at_once_pays_once(client: Client) -> None:
    submission_id = client.submit(client.publish())

    with ThreadPoolExecutor(MANY) as pool:
        asked = [pool.submit(client.decide, submission_id, "APPROVE") for _ in range(MANY)]

    assert {one.result().status for one in asked} == {200}
    assert [one["cents"] for one in client.stand_in.controls.payments()] == [100]
