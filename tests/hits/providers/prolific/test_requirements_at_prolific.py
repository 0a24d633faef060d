"""Who may come: filters and groups at Prolific, and no requirement that it does not know."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from hits.core.domain import requirements
from hits.core.errors import RuleBroken
from hits.people.services import blocking
from hits.providers.models.accounts import Account
from tests.factories import make_batch
from tests.hits.providers.prolific.house import House
from tests.pages import text_of

ADULTS = {"Filter": "age", "Range": [18, 65]}
FROM_THE_US = {
    "QualificationTypeId": requirements.LOCALE,
    "Comparator": "In",
    "LocaleValues": [{"Country": "US"}],
}


def filters_there(house: House, hit: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = house.stand_in.world.studies[hit.external_id].fields["filters"]
    return found


def test_filters_go_to_the_study_as_they_were_chosen(house: House) -> None:
    hit = house.launch(requirements=[ADULTS]).hits.get()

    assert {"filter_id": "age", "selected_range": {"lower": 18, "upper": 65}} in filters_there(house, hit)


def test_whoever_is_blocked_is_in_the_group_that_every_study_keeps_away(house: House) -> None:
    first = house.launch().hits.get()
    work = house.hand_in(first)
    blocking.block_worker(
        worker=work.worker, kind="hard", reason="Copied answers.", by=house.user, now=house.now
    )
    blocking.send_blocks(now=house.now)

    second = house.launch().hits.get()

    (kept_away,) = [one for one in filters_there(house, second) if "blocklist" in one["filter_id"]]
    (group,) = [house.stand_in.world.groups[one] for one in kept_away["selected_values"]]
    assert group.participant_ids == [work.worker.external_id]


def test_a_requirement_that_prolific_does_not_know_stops_the_launch(house: House) -> None:
    with pytest.raises(RuleBroken, match="does not know this requirement: “Country: one of US”"):
        house.launch(requirements=[FROM_THE_US])

    assert house.stand_in.world.studies == {}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"Filter": "age"}, "give either"),
        ({"Filter": "age", "Range": [65, 18]}, "lower one first"),
        ({"Filter": "age", "Range": ["18", "65"]}, "two numbers"),
        ({"Filter": "", "Chosen": ["0"]}, "id that the provider"),
        ({"Filter": "age", "Chosen": []}, "list of texts"),
        ({"Filter": "age", "Chosen": ["1"], "Comparator": "In"}, "Comparator is not a field"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(row: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        requirements.check([row])


def test_the_people_page_asks_for_filters_and_for_nothing_that_is_not_known(
    house: House, client: Client
) -> None:
    client.force_login(house.user)
    draft = make_batch(study=house.study, account=house.account, requirements=[FROM_THE_US])
    launch = client.get(reverse("admin:hits_batch_launch", args=[draft.pk]))
    assert "does not know this requirement" in launch.content.decode()

    address = reverse("admin:hits_batch_step", args=[draft.pk, "people"])
    page = client.get(address)
    text = page.content.decode()
    assert "Further filters, as the provider takes them" in text
    assert "Masters only" not in text
    answer = client.post(
        address,
        {
            "seen": page.context["seen"],
            "further": '[{"Filter": "age", "Range": [18, 65]}]',
            "repeat_group": "",
        },
    )

    assert answer.status_code == 302
    draft.refresh_from_db()
    assert draft.requirements == [ADULTS]


def test_filters_are_chosen_on_the_people_page(house: House, client: Client) -> None:
    client.force_login(house.user)
    langs = {"Filter": "first-language", "Chosen": ["0", "2"]}
    unknown = {"Filter": "shoe-size", "Range": [38, 45]}
    draft = make_batch(study=house.study, account=house.account, requirements=[langs, unknown])
    address = reverse("admin:hits_batch_step", args=[draft.pk, "people"])
    page = client.get(address)
    assert [one.id for one in page.context["form"].filters.shown] == ["first-language"]
    assert "shoe-size" in text_of(page)
    sent = {"seen": page.context["seen"], "shown_filter": "first-language"}

    # One more filter is shown, and nothing is saved.
    chosen = {"filter-first-language-chosen": ["1"], "further": json.dumps([unknown])}
    more = client.post(address, {**sent, **chosen, "show_filter": "yes", "another_filter": "age"})
    assert (more.status_code, 'name="filter-age-low"' in text_of(more)) == (200, True)
    assert re.search(r'value="1"[^>]* checked', text_of(more))
    draft.refresh_from_db()
    assert draft.requirements == [langs, unknown]

    sent["shown_filter"] = ["first-language", "age", "custom_allowlist"]
    wrong = client.post(address, {**sent, "filter-age-low": "65", "filter-age-high": "18"})
    assert "This is less than the other end." in text_of(wrong)
    ids = {"filter-custom_allowlist-chosen": "a1, b2\nc3"}
    saved = client.post(address, {**sent, **chosen, **ids, "filter-age-low": "21", "another_filter": "x"})

    assert saved.status_code == 302
    launch = text_of(client.get(saved["Location"]))
    assert "<li>First language: French.</li>" in launch
    assert "<li>Age: 21 to 100.</li>" in launch
    assert "<li>The provider's filter shoe-size: 38 to 45.</li>" in unescape(launch)
    draft.refresh_from_db()
    assert draft.requirements == [
        {"Filter": "first-language", "Chosen": ["1"]},
        {"Filter": "age", "Range": [21, 100]},
        {"Filter": "custom_allowlist", "Chosen": ["a1", "b2", "c3"]},
        unknown,
    ]


def test_an_empty_filter_is_not_asked_for(house: House, client: Client) -> None:
    client.force_login(house.user)
    draft = make_batch(study=house.study, account=house.account, requirements=[ADULTS])
    address = reverse("admin:hits_batch_step", args=[draft.pk, "people"])
    page = client.get(address)
    assert 'name="filter-age-low" value="18"' in text_of(page)

    client.post(address, {"seen": page.context["seen"], "shown_filter": "age", "filter-age-low": ""})

    draft.refresh_from_db()
    assert draft.requirements == []


def test_pay_below_the_floor_stops_the_launch_and_says_how_much_it_must_be(house: House) -> None:
    with pytest.raises(RuleBroken, match=r"less than \$8\.00 an hour.*at least \$0\.14"):
        house.launch(reward="0.10", estimated_s=60)

    assert house.stand_in.world.studies == {}


def test_the_floor_is_reckoned_in_the_minutes_that_the_provider_counts(house: House) -> None:
    with pytest.raises(RuleBroken, match=r"pays \$6\.00:.*at least \$0\.14"):
        house.launch(reward="0.10", estimated_s=20)

    house.launch(reward="0.14", estimated_s=20)
    assert len(house.stand_in.world.studies) == 1


@pytest.mark.parametrize(("fees", "is_short"), [("academic, VAT", False), ("none", True)])
def test_the_check_page_shows_what_the_provider_itself_reckons(
    house: House, client: Client, fees: str, is_short: bool
) -> None:
    client.force_login(house.user)
    Account.objects.filter(pk=house.account.pk).update(fee_schedule=fees)
    draft = make_batch(
        study=house.study, account=house.account, reward="1.00", hits_wanted=3, assignments_per_hit=2
    )

    text = client.get(reverse("admin:hits_batch_launch", args=[draft.pk])).content.decode()

    # Six places at 1.00, a fee of 33.3 % and a fifth of that as tax.
    assert "$8.40" in text
    assert ("Choose the fees that" in text) is is_short


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"Filter": "ages", "Range": [18, 65]}, "has no filter ages"),
        ({"Filter": "age", "Chosen": ["18"]}, "takes a Range"),
        ({"Filter": "age", "Range": [1, 65]}, "goes from 18"),
        ({"Filter": "first-language", "Chosen": ["Klingon"]}, "has no choice Klingon"),
    ],
)
def test_a_filter_that_the_provider_does_not_have_is_told_before_the_launch(
    house: House, client: Client, row: dict[str, Any], words: str
) -> None:
    cache.clear()
    client.force_login(house.user)
    draft = make_batch(study=house.study, account=house.account, reward="1.00", requirements=[row])

    launch = client.get(reverse("admin:hits_batch_launch", args=[draft.pk])).content.decode()
    people = client.get(reverse("admin:hits_batch_step", args=[draft.pk, "people"])).content.decode()

    assert words in launch
    assert '<option value="first-language">' in people


def test_a_list_of_filters_that_does_not_come_stops_no_page(house: House, client: Client) -> None:
    cache.clear()
    client.force_login(house.user)
    house.stand_in.controls.fail(kind="drop_before", route="/filters/", times=4)
    draft = make_batch(study=house.study, account=house.account, reward="1.00", requirements=[ADULTS])

    people = client.get(reverse("admin:hits_batch_step", args=[draft.pk, "people"]))
    launch = client.get(reverse("admin:hits_batch_launch", args=[draft.pk]))

    assert (people.status_code, launch.status_code) == (200, 200)
    assert "could not be read. Load the page again" in people.content.decode()
