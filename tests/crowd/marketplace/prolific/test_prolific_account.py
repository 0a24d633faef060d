import pytest

from crowd.marketplace.tools.prolific import StandIn, serving
from tests.crowd.marketplace.prolific.prolific_calls import (
    APPROVED_CODE,
    COST_OF_ONE,
    Client,
    study_fields,
)

pytestmark = pytest.mark.pure

FIRST = 1_000_000


def test_me_with_the_token_is_the_researcher(client: Client) -> None:
    told = client.get("/users/me/")

    assert (told.status, told.body["user_type"]) == (200, "researcher")


def test_wrong_token_is_401_in_prolifics_shape(stand_in: StandIn) -> None:
    told = Client(stand_in=stand_in, token="wrong").get("/users/me/")

    assert (told.status, told.body["error"]["status"], told.detail) == (401, 401, "Invalid token.")


def test_path_without_its_trailing_slash_is_404(client: Client) -> None:
    assert client.get("/users/me").status == 404


def test_method_that_a_path_does_not_have_is_405(client: Client) -> None:
    assert client.delete("/users/me/").status == 405


def test_workspace_is_created_with_its_currency_and_an_empty_wallet(client: Client) -> None:
    workspace_id = client.post("/workspaces/", title="Ours", currency_code="USD").body["id"]

    balance = client.get(f"/workspaces/{workspace_id}/balance/").body

    assert (balance["currency_code"], balance["total_balance"]) == ("USD", 0)


def test_workspaces_are_listed_and_read(client: Client) -> None:
    listed = client.get("/workspaces/").body["results"]

    assert [one["id"] for one in listed] == [client.workspace_id]
    assert client.get(f"/workspaces/{client.workspace_id}/").body == listed[0]


def test_project_is_created_in_its_workspace(client: Client) -> None:
    path = f"/workspaces/{client.workspace_id}/projects/"

    project_id = client.post(path, title="Second").body["id"]

    assert project_id in [one["id"] for one in client.get(path).body["results"]]
    assert client.get(f"/projects/{project_id}/").body["title"] == "Second"


def test_balance_breaks_down_into_rewards_fees_and_vat(client: Client) -> None:
    balance = client.balance()

    assert sum(balance["balance_breakdown"].values()) == balance["total_balance"] == FIRST


def test_cost_calculator_adds_the_fee_and_vat_on_the_fee(client: Client) -> None:
    told = client.post("/study-cost-calculator/", reward=100, total_available_places=10)

    assert told.body == {"total_cost": 1000 + 333 + 67}


def test_corporate_fee_is_higher() -> None:
    with serving(fee="corporate") as server:
        told = Client(stand_in=server).post("/study-cost-calculator/", reward=100, total_available_places=10)

    assert told.body == {"total_cost": 1000 + 428 + 86}


def test_publishing_locks_money_that_has_not_left_the_wallet(client: Client) -> None:
    client.publish()

    balance = client.balance()

    assert (balance["total_balance"], balance["available_balance"]) == (FIRST, FIRST - 2 * COST_OF_ONE)


def test_approval_takes_the_reward_out_of_the_wallet(client: Client) -> None:
    study_id = client.publish()

    client.submit(study_id, code=APPROVED_CODE)

    assert client.balance()["total_balance"] == FIRST - COST_OF_ONE


def test_stopping_frees_what_nobody_earned(client: Client) -> None:
    study_id = client.publish()

    client.transition(study_id, "STOP")

    assert client.balance()["available_balance"] == FIRST


def test_publishing_without_the_money_is_refused_and_leaves_a_draft(client: Client) -> None:
    study_id = client.create_study(total_available_places=10_000)

    told = client.transition(study_id, "PUBLISH")

    assert (told.status, client.study_status(study_id)) == (400, "UNPUBLISHED")


def test_topping_up_lets_a_dear_study_be_published(client: Client) -> None:
    study_id = client.create_study(total_available_places=10_000)
    client.control("wallet", workspace_id=client.workspace_id, cents=FIRST)

    client.transition(study_id, "PUBLISH")

    assert client.study_status(study_id) == "ACTIVE"


def test_study_cost_tells_what_was_paid_and_what_may_be(client: Client) -> None:
    study_id = client.publish()
    client.submit(study_id, code=APPROVED_CODE)

    paid = client.get(f"/studies/{study_id}/cost/").body["rewards"]
    projected = client.get(f"/studies/{study_id}/cost/", is_projected="true").body["rewards"]

    assert paid["rewards"] == {"amount": 100, "currency": "GBP"}
    assert projected["rewards"] == {"amount": 200, "currency": "GBP"}
    assert paid["tax"]["amount"] == 7


@pytest.mark.parametrize(("currency", "least"), [("GBP", 50), ("USD", 67)])
def test_reward_below_the_floor_of_the_currency_is_refused(client: Client, currency: str, least: int) -> None:
    workspace = client.post("/workspaces/", title="Ours", currency_code=currency).body["id"]
    project = client.post(f"/workspaces/{workspace}/projects/", title="Ours").body["id"]

    refused = client.post("/studies/", **study_fields(project=project, reward=least - 1))
    taken = client.post("/studies/", **study_fields(project=project, reward=least))

    assert (refused.status, list(refused.detail), taken.status) == (400, ["reward"], 201)


def test_filters_are_listed_with_those_of_groups_and_earlier_studies(client: Client) -> None:
    listed = {one["filter_id"] for one in client.get("/filters/").body["results"]}

    assert {
        "participant_group_allowlist",
        "participant_group_blocklist",
        "previous_studies_allowlist",
        "previous_studies_blocklist",
        "custom_allowlist",
    } <= listed


def test_credentials_that_are_no_pairs_are_refused(client: Client) -> None:
    assert client.post("/credentials/", credentials="one;secret").status == 400
    assert client.stand_in.world.credential_pools == {}


def test_credentials_make_a_pool_that_a_study_can_name(client: Client) -> None:
    pool = client.post("/credentials/", credentials="one,secret\ntwo,secret").body["credential_pool_id"]

    assert client.post("/studies/", **study_fields(credential_pool_id=pool)).status == 201
    assert client.post("/studies/", **study_fields(credential_pool_id="another")).status == 400
