import pytest

from tests.crowd.marketplace.prolific.prolific_calls import APPROVED_CODE, Client

pytestmark = pytest.mark.pure

PATH = "/submissions/bonus-payments/"


def test_setup_reads_units_of_the_currency_and_answers_cents(client: Client) -> None:
    study_id = client.publish()
    first, second = client.submit(study_id), client.submit(study_id)

    told = client.post(
        PATH, study_id=study_id, csv_bonuses=f"{first},1.50\n{client.participant_of(second)},2"
    )

    assert told.status == 201
    assert {name: told.body[name] for name in ("amount", "fees", "vat", "total_amount")} == {
        "amount": 350,
        "fees": 117,
        "vat": 23,
        "total_amount": 490,
    }


def test_setup_of_30_is_30_whole_units(client: Client) -> None:
    study_id = client.publish()

    told = client.post(PATH, study_id=study_id, csv_bonuses=f"{client.submit(study_id)},30")

    assert told.body["amount"] == 3000


def test_setup_pays_nothing(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id)
    before = client.balance()

    client.post(PATH, study_id=study_id, csv_bonuses=f"{submission_id},1.50")

    assert client.balance() == before
    assert client.get(f"/submissions/{submission_id}/").body["bonus_payments"] == []


def test_paying_is_accepted_first_and_paid_later(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id)
    setup_id = client.post(PATH, study_id=study_id, csv_bonuses=f"{submission_id},1.50").body["id"]
    client.stand_in.world.habits.lag_s = 60

    told = client.post(f"/bulk-bonus-payments/{setup_id}/pay/")

    assert told.status == 202
    assert client.get(f"/submissions/{submission_id}/").body["bonus_payments"] == []
    client.stand_in.controls.advance(minutes=1)
    assert client.get(f"/submissions/{submission_id}/").body["bonus_payments"] == [150]


def test_paying_twice_pays_twice_and_the_money_is_gone(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id)
    setup = client.post(PATH, study_id=study_id, csv_bonuses=f"{submission_id},1.50").body
    before = client.balance()["total_balance"]

    told = [client.post(f"/bulk-bonus-payments/{setup['id']}/pay/").status for _ in range(2)]

    assert told == [202, 202]
    assert client.get(f"/submissions/{submission_id}/").body["bonus_payments"] == [150, 150]
    assert before - client.balance()["total_balance"] == 2 * setup["total_amount"]
    paid = [
        (one["submission_id"], one["cents"], one["bulk_id"]) for one in client.stand_in.controls.payments()
    ]
    assert paid == [(submission_id, 150, setup["id"])] * 2


def test_study_cost_tells_the_bonuses(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id)
    setup_id = client.post(PATH, study_id=study_id, csv_bonuses=f"{submission_id},1.50").body["id"]

    client.post(f"/bulk-bonus-payments/{setup_id}/pay/")

    bonuses = client.get(f"/studies/{study_id}/cost/").body["bonuses"]
    assert [bonuses[name]["amount"] for name in ("rewards", "fees", "tax")] == [150, 50, 10]


def test_unknown_ids_are_named_in_a_list_and_nothing_is_set_up(client: Client) -> None:
    study_id = client.publish()
    known = client.submit(study_id)

    told = client.post(PATH, study_id=study_id, csv_bonuses=f"{known},1.00\nnobody,1.00")

    assert told.status == 400
    assert told.detail == ["nobody is no participant or submission of this study."]
    assert client.stand_in.world.setups == {}


@pytest.mark.parametrize("amount", ["0", "-1", "0.001", "much", "NaN", ""])
def test_amount_that_cannot_be_paid_is_refused(client: Client, amount: str) -> None:
    study_id = client.publish()

    told = client.post(PATH, study_id=study_id, csv_bonuses=f"{client.submit(study_id)},{amount}")

    assert (told.status, client.stand_in.world.setups) == (400, {})


def test_setup_has_200_rows_at_most(client: Client) -> None:
    study_id = client.publish()
    row = f"{client.submit(study_id)},0.01"

    taken = client.post(PATH, study_id=study_id, csv_bonuses="\n".join([row] * 200))
    refused = client.post(PATH, study_id=study_id, csv_bonuses="\n".join([row] * 201))

    assert (taken.status, taken.body["amount"], refused.status) == (201, 200, 400)


def test_bonus_that_the_wallet_cannot_pay_is_refused(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id)
    setup_id = client.post(PATH, study_id=study_id, csv_bonuses=f"{submission_id},9000").body["id"]

    told = client.post(f"/bulk-bonus-payments/{setup_id}/pay/")

    assert (told.status, client.stand_in.controls.payments()) == (400, [])


def test_accepted_payment_pays_nobody_if_the_money_is_gone_by_then(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id)
    setup_id = client.post(PATH, study_id=study_id, csv_bonuses=f"{submission_id},5000").body["id"]
    client.stand_in.world.habits.lag_s = 60

    told = [client.post(f"/bulk-bonus-payments/{setup_id}/pay/").status for _ in range(2)]

    client.stand_in.controls.advance(minutes=1)
    assert told == [202, 202]
    assert client.get(f"/submissions/{submission_id}/").body["bonus_payments"] == [500_000]


def test_payment_of_an_unknown_setup_is_404(client: Client) -> None:
    assert client.post("/bulk-bonus-payments/unknown/pay/").status == 404


def test_no_route_lists_payments(client: Client) -> None:
    assert client.get("/bulk-bonus-payments/").status == 404
    assert client.get(PATH).status in (404, 405)


def test_truth_has_every_movement_of_the_wallet(client: Client) -> None:
    study_id = client.publish()
    submission_id = client.submit(study_id, code=APPROVED_CODE)
    setup_id = client.post(PATH, study_id=study_id, csv_bonuses=f"{submission_id},1.50").body["id"]
    client.post(f"/bulk-bonus-payments/{setup_id}/pay/")

    (wallet,) = client.stand_in.controls.wallets().values()

    movements = [(one["kind"], one["reference"], one["rewards"]) for one in wallet["movements"]]
    assert movements == [("top_up", "", 1_000_000), ("reward", submission_id, 100), ("bonus", setup_id, 150)]
    assert wallet["total"] == client.balance()["total_balance"] == 1_000_000 - 140 - 210
