import pytest

from tests.crowd.marketplace.prolific.prolific_calls import Client

pytestmark = pytest.mark.pure


@pytest.fixture
def study_id(client: Client) -> str:
    """A study with forty submissions: two whole pages."""
    study_id = client.publish(total_available_places=50)
    for _ in range(40):
        client.take_part(study_id)
    return study_id


def test_first_page_has_twenty_rows_whatever_there_are(client: Client, study_id: str) -> None:
    told = client.get("/submissions/", study=study_id).body

    assert (len(told["results"]), told["meta"]["count"]) == (20, 40)


def test_next_links_lead_through_all_rows_once(client: Client, study_id: str) -> None:
    found: list[str] = []
    address = f"{client.stand_in.world.base_url}/api/v1/submissions/?study={study_id}"

    while address:
        told = client.get(address.partition("/api/v1")[2]).body
        found += [one["id"] for one in told["results"]]
        address = told["_links"]["next"]["href"]

    assert found == list(client.stand_in.world.submissions)


@pytest.mark.parametrize("page", [3, 0, "x"])
def test_page_past_the_last_is_404_at_an_exact_multiple_too(
    client: Client, study_id: str, page: object
) -> None:
    told = client.get("/submissions/", study=study_id, page=page)

    assert (told.status, told.detail) == (404, "Invalid page.")


def test_page_size_is_taken(client: Client, study_id: str) -> None:
    told = client.get("/submissions/", study=study_id, page=2, page_size=30).body

    assert (len(told["results"]), told["_links"]["next"]["href"]) == (10, None)


def test_empty_list_has_a_first_page(client: Client) -> None:
    told = client.get("/submissions/", study=client.publish())

    assert (told.status, told.body["results"]) == (200, [])


def test_studies_of_a_project_are_paged_in_the_order_that_is_asked_for(client: Client) -> None:
    for name in ("b", "c", "a"):
        client.create_study(name=name)
    project_id = next(iter(client.stand_in.world.projects))

    told = client.get(f"/projects/{project_id}/studies/", ordering="-name", page_size=2).body

    assert [one["name"] for one in told["results"]] == ["c", "b"]
    assert client.get(f"/projects/{project_id}/studies/", ordering="shoe").status == 400


def test_offset_past_the_end_is_an_empty_list(client: Client, study_id: str) -> None:
    told = client.get(f"/studies/{study_id}/submissions/", limit=30, offset=30).body
    past = client.get(f"/studies/{study_id}/submissions/", limit=30, offset=60)

    assert (len(told["results"]), told["_links"]["next"]["href"]) == (10, None)
    assert (past.status, past.body["results"]) == (200, [])


def test_lists_by_pages_do_not_know_offsets(client: Client, study_id: str) -> None:
    assert client.get("/submissions/", study=study_id, offset=20).status == 400
