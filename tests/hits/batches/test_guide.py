"""The guide from a new draft to its launch: in any order, in two windows, and no input is lost."""

from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winogavil.domain import SOLVE, SOLVER_TEST
from crowd.winogavil.models import Game
from hits import families
from hits.admin.batches import prices
from hits.admin.batches.guide import room_in_words
from hits.batches.services import drafting
from hits.identity.models.users import User
from hits.identity.roles import RESEARCHER
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.models.items import Item
from tests.factories import (
    ALL_RIGHT,
    NOW,
    make_account,
    make_association,
    make_batch,
    make_picture,
    make_study,
)
from tests.pages import text_of
from tests.people import permissions, sign_in, sign_in_with
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
WORK = ("view_batch", "add_batch", "change_batch", "delete_batch", "launch_batch")


def make_draft(user: User, **changes: Any) -> Batch:
    """Make a draft in a study of this user, with one item in its pool."""
    study = changes.pop("study", None) or make_study()
    study.members.add(user)
    make_association(study=study)
    return make_batch(study=study, **changes)


def step_url(batch: Batch, step: str) -> str:
    return reverse("admin:hits_batch_step", args=[batch.pk, step])


def launch_url(batch: Batch) -> str:
    return reverse("admin:hits_batch_launch", args=[batch.pk])


def items_url(batch: Batch) -> str:
    return reverse("admin:hits_batch_items", args=[batch.pk])


def what(batch: Batch, **changes: Any) -> dict[str, Any]:
    values = {
        "study": batch.study_id,
        "account": batch.account_id,
        "task": SOLVE,
        "items_from": batch.items_from,
        "seen": drafting.stamp(batch, "what"),
    }
    return {**values, **changes}


def terms(batch: Batch, **changes: Any) -> dict[str, Any]:
    values = {
        "title": "Title",
        "description": "Description",
        "keywords": "",
        "reward": "0.25",
        "hits_wanted": "1",
        "assignments_per_hit": "3",
        "sharding": "shards",
        "items_per_assignment": "1",
        "duration_s_amount": "15",
        "duration_s_unit": "minutes",
        "lifetime_s_amount": "7",
        "lifetime_s_unit": "days",
        "auto_approval_s_amount": "3",
        "auto_approval_s_unit": "days",
        "estimated_s_amount": "1.5",
        "estimated_s_unit": "minutes",
        "review_by": "hand",
        "pilot_hits": "0",
        "seen": drafting.stamp(batch, "terms"),
    }
    return {**values, **changes}


def people(batch: Batch, **changes: Any) -> dict[str, Any]:
    return {"guarded": "Accept", "seen": drafting.stamp(batch, "people"), **changes}


def launch(client: Client, batch: Batch, **changes: Any) -> Any:
    return client.post(launch_url(batch), {"seen": drafting.stamp_all(batch), **changes}, follow=True)


def test_new_batch_is_a_draft_with_the_words_of_its_task(client: Client) -> None:
    user = sign_in_with(client, *WORK)
    study, account = make_study(), make_account()
    study.members.add(user)
    form = {
        "study": study.pk,
        "account": account.pk,
        "task": SOLVE,
        "items_from": "pool",
        "key": str(uuid4()),
    }

    answer = client.post(reverse("admin:hits_batch_add"), form)
    client.post(reverse("admin:hits_batch_add"), form)

    draft = Batch.objects.get()
    assert answer["Location"] == step_url(draft, "terms")
    assert (draft.title, draft.created_by) == ("Which pictures go with the word?", user)


def test_tasks_stand_by_family_each_with_a_line_about_it(client: Client) -> None:
    sign_in_with(client, *WORK)

    page = text_of(client.get(reverse("admin:hits_batch_add"), {"task": SOLVE}))
    group = page.partition("<legend>Association game</legend>")[2].partition("</fieldset>")[0]

    assert f'value="{SOLVE}" required checked' in group
    assert "You see a word and some pictures. Pick the pictures that belong to the word." in group
    assert page.count(" checked") == 2  # the task, and where items come from
    assert "whoops." not in group
    assert all(f'value="{task}"' in page for task in families.offered())


def test_task_that_was_chosen_stays_when_the_form_is_refused(client: Client) -> None:
    sign_in_with(client, *WORK)

    page = text_of(client.post(reverse("admin:hits_batch_add"), {"task": SOLVE}))

    assert f'value="{SOLVE}" required checked' in page


def test_new_batch_is_made_in_no_study_of_others(client: Client) -> None:
    sign_in_with(client, *WORK)
    form = {"study": make_study().pk, "account": make_account().pk, "task": SOLVE, "items_from": "pool"}

    page = client.post(reverse("admin:hits_batch_add"), form)

    assert (page.status_code, Batch.objects.count()) == (200, 0)


@pytest.mark.parametrize("step", ["what", "terms", "people"])
def test_step_of_a_draft_of_others_is_not_found(client: Client, step: str) -> None:
    sign_in_with(client, *WORK)
    batch = make_batch()

    assert [
        client.get(step_url(batch, step)).status_code,
        client.post(step_url(batch, step)).status_code,
    ] == [
        404,
        404,
    ]


@pytest.mark.parametrize("page", ["step", "items"])
def test_draft_is_not_written_by_who_may_only_look(client: Client, page: str) -> None:
    batch = make_draft(sign_in_with(client, "view_batch", "launch_batch"))
    before = Batch.objects.values().get()
    address = step_url(batch, "terms") if page == "step" else items_url(batch)

    assert client.post(address, terms(batch)).status_code == 403

    assert Batch.objects.values().get() == before


def test_terms_are_given_in_units_and_kept_in_seconds(client: Client) -> None:
    batch = make_draft(sign_in_with(client, *WORK))

    answer = client.post(
        step_url(batch, "terms"), terms(batch, lifetime_s_amount="90", lifetime_s_unit="minutes")
    )

    batch.refresh_from_db()
    assert answer["Location"] == step_url(batch, "people")
    assert (batch.duration_s, batch.lifetime_s, batch.estimated_s) == (900, 5400, 90)
    assert batch.review_by == "hand"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"duration_s_amount": "29", "duration_s_unit": "seconds"},
            "Give a time from 30 seconds to 365 days.",
        ),
        ({"auto_approval_s_amount": "31"}, "Give a time from 0 seconds to 30 days."),
        ({"pilot_hits": "2"}, "A pilot of 2 is more than the 1 HITs"),
        ({"reward": "-1"}, "greater than or equal to 0"),
        ({"assignments_per_hit": "0"}, "greater than or equal to 1"),
        ({"title": ""}, "This field is required."),
        ({"hits_wanted": "100000", "assignments_per_hit": "10"}, "These would be 200,000 HITs"),
    ],
)
def test_terms_that_cannot_be_are_refused_and_kept_on_the_page(
    client: Client, changes: dict[str, str], words: str
) -> None:
    batch = make_draft(sign_in_with(client, *WORK))
    before = Batch.objects.values().get()

    page = client.post(step_url(batch, "terms"), terms(batch, keywords="typed words", **changes))

    assert words in text_of(page)
    assert "typed words" in text_of(page)
    assert Batch.objects.values().get() == before


def test_second_window_is_told_and_loses_nothing(client: Client) -> None:
    batch = make_draft(sign_in_with(client, *WORK))
    first, second = terms(batch, title="First"), terms(batch, title="Second", reward="0.50")
    client.post(step_url(batch, "terms"), first)

    page = client.post(step_url(batch, "terms"), second)

    batch.refresh_from_db()
    assert batch.title == "First"
    assert "another window" in text_of(page)
    assert "<dt>Title</dt><dd>First</dd>" in text_of(page)
    assert 'value="Second"' in text_of(page)

    client.post(step_url(batch, "terms"), {**second, "seen": page.context["seen"]})

    batch.refresh_from_db()
    assert (batch.title, batch.reward) == ("Second", Decimal("0.50"))


def test_second_window_is_told_even_after_a_mistake(client: Client) -> None:
    batch = make_draft(sign_in_with(client, *WORK))
    stale = terms(batch, title="Second", reward="nothing")
    client.post(step_url(batch, "terms"), terms(batch, title="First"))
    mistaken = client.post(step_url(batch, "terms"), stale)

    page = client.post(step_url(batch, "terms"), {**stale, "reward": "1", "seen": mistaken.context["seen"]})

    batch.refresh_from_db()
    assert batch.title == "First"
    assert "another window" in text_of(page)


def test_items_of_a_file_are_added_and_removed_again(client: Client) -> None:
    batch = make_draft(sign_in_with(client, *WORK), items_from="file")
    keys = [make_picture().key for _ in range(5)]
    content = f"cue,candidates,chosen\ncold,{'|'.join(keys)},{keys[0]}|{keys[1]}\n".encode()

    added = client.post(
        items_url(batch), {"file": SimpleUploadedFile("items.csv", content), "there": "0"}, follow=True
    )
    count = batch.items.count()
    removed = client.post(items_url(batch), {"remove": ""}, follow=True)

    assert "1 item added." in text_of(added)
    assert "1 item removed." in text_of(removed)
    assert (count, batch.items.count()) == (1, 0)


def test_file_with_a_wrong_line_adds_nothing_and_names_it(client: Client) -> None:
    batch = make_draft(sign_in_with(client, *WORK), items_from="file")
    file = SimpleUploadedFile("items.csv", b"cue,candidates,chosen\nno such,a|b,a\n")

    page = client.post(items_url(batch), {"file": file, "there": "0"})

    assert "Line 2: the pool has no picture “a”." in text_of(page)
    assert batch.items.count() == 0


def test_upload_without_a_file_says_so(client: Client) -> None:
    batch = make_draft(sign_in_with(client, *WORK), items_from="file")

    assert "Choose a file first." in text_of(client.post(items_url(batch), {"there": "0"}))


def test_example_file_can_be_uploaded_as_it_is(client: Client) -> None:
    batch = make_draft(sign_in_with(client, *WORK), items_from="file")
    example = client.get(reverse("admin:hits_batch_example", args=[SOLVE]))

    client.post(items_url(batch), {"file": SimpleUploadedFile("items.csv", example.content)})

    assert example["Content-Disposition"] == 'attachment; filename="items.csv"'
    assert batch.items.count() == 1


def test_choosing_a_file_stays_until_it_has_items(client: Client) -> None:
    batch = make_draft(sign_in_with(client, *WORK))

    answer = client.post(step_url(batch, "what"), what(batch, items_from="file"))

    assert answer["Location"] == step_url(batch, "what")


def test_tasks_of_the_studys_families_come_first_and_the_others_are_folded(client: Client) -> None:
    study = make_study()
    Game.objects.create(study=study)
    sign_in(client, RESEARCHER, study)
    add = reverse("admin:hits_batch_add")

    page = text_of(client.get(add, {"study": study.pk}))
    foreign = next(key for key in families.offered() if not key.startswith("winogavil."))
    first, others = page.split("Other kinds of work</summary>")
    chosen = text_of(client.get(f"{add}?study={study.pk}&task={foreign}"))

    assert "Association game</legend>" in first
    assert "Association game</legend>" not in others
    assert f'value="{foreign}"' in others
    assert "<details open> <summary>Other kinds" in chosen or "<details open><summary>Other kinds" in chosen


def test_people_are_written_as_the_requester_api_takes_them(client: Client) -> None:
    user = sign_in_with(client, *WORK)
    batch = make_draft(user)
    other = make_batch(study=batch.study, account=batch.account, status="open")
    form = people(
        batch,
        approved_percent="98",
        countries="us, GB",
        masters="on",
        own_type_0="3OWN",
        own_comparator_0="GreaterThan",
        own_values_0="80",
        exclude_batches=[other.pk],
        repeat_group="cues",
    )

    client.post(step_url(batch, "people"), form)

    batch.refresh_from_db()
    assert batch.requirements == [
        {
            "QualificationTypeId": "000000000000000000L0",
            "Comparator": "GreaterThanOrEqualTo",
            "IntegerValues": [98],
        },
        {
            "QualificationTypeId": "00000000000000000071",
            "Comparator": "In",
            "LocaleValues": [{"Country": "US"}, {"Country": "GB"}],
        },
        {"QualificationTypeId": "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6", "Comparator": "Exists"},
        {"QualificationTypeId": "3OWN", "Comparator": "GreaterThan", "IntegerValues": [80]},
    ]
    assert (list(batch.exclude_batches.all()), batch.repeat_group) == ([other], "cues")


def test_people_saved_as_they_are_shown_stay_the_same(client: Client) -> None:
    user = sign_in_with(client, *WORK)
    approved = {"QualificationTypeId": "000000000000000000L0", "Comparator": "GreaterThan"}
    requirements = [
        {**approved, "IntegerValues": [98]},
        {"QualificationTypeId": "3OWN", "Comparator": "In", "IntegerValues": [1, 2]},
        {"QualificationTypeId": "3TWO", "Comparator": "Exists", "RequiredToPreview": True},
    ]
    batch = make_draft(user, requirements=requirements)
    form: Any = client.get(step_url(batch, "people")).context["form"]
    shown = {name: form[name].value() for name in form.fields}
    # The paper's bound stands in the named fields, not among the codes.
    assert (shown["approved_percent_by"], shown["approved_percent"]) == ("GreaterThan", 98)

    client.post(
        step_url(batch, "people"), people(batch, **{name: value for name, value in shown.items() if value})
    )

    batch.refresh_from_db()
    assert batch.requirements == requirements


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"countries": "Germany"}, "GERMANY is not a country code"),
        ({"own_type_0": "3OWN", "own_comparator_0": "EqualTo", "own_values_0": "many"}, "whole numbers"),
        ({"own_values_0": "3"}, "Give the id of the qualification type too."),
        ({"own_type_0": "3OWN", "own_comparator_0": "EqualTo"}, "EqualTo does not go with 0 values"),
        ({"further": "[{}]"}, "Requirement 1 needs a QualificationTypeId"),
        ({"further": "{"}, "Enter a valid JSON"),
        ({"older_batches": "one"}, "Give numbers of batches"),
        ({"older_batches": "999999"}, "there is no launched batch 999999"),
        ({"approved_percent": "101"}, "less than or equal to 100"),
    ],
)
def test_people_that_cannot_be_are_refused(client: Client, changes: dict[str, str], words: str) -> None:
    batch = make_draft(sign_in_with(client, *WORK))
    before = Batch.objects.values().get()

    page = client.post(step_url(batch, "people"), people(batch, **changes))

    assert words in text_of(page)
    assert Batch.objects.values().get() == before


def test_exclusions_that_somebody_may_not_see_stay(client: Client, turk: StubbedTurk) -> None:
    batch = make_draft(sign_in_with(client, *WORK))
    hidden = make_batch(account=batch.account, status="open")
    batch.exclude_batches.add(hidden)

    pages = [client.get(step_url(batch, "people")), client.get(launch_url(batch))]
    client.post(step_url(batch, "people"), people(batch))

    assert [hidden.study.name in text_of(page) for page in pages] == [False, False]
    assert f"A batch of another study (number {hidden.pk})" in text_of(pages[1])
    assert list(batch.exclude_batches.all()) == [hidden]


def test_copy_is_a_new_draft(client: Client) -> None:
    user = sign_in_with(client, *WORK)
    batch = make_draft(user, status="complete", title="Again")

    answer = client.post(reverse("admin:hits_batch_copy", args=[batch.pk]))

    copy = Batch.objects.latest("pk")
    assert answer["Location"] == step_url(copy, "what")
    assert (copy.title, copy.status, copy.created_by) == ("Again", "draft", user)


def test_draft_with_items_of_its_own_can_be_deleted(client: Client) -> None:
    user = sign_in_with(client, *WORK)
    batch = make_draft(user, items_from="file")
    example = client.get(reverse("admin:hits_batch_example", args=[SOLVE])).content
    drafting.add_items(batch=batch, content=example)

    client.post(reverse("admin:hits_batch_delete", args=[batch.pk]), {"post": "yes"})

    assert (Batch.objects.count(), Item.objects.filter(batch__isnull=False).count()) == (0, 0)


def test_launched_batch_cannot_be_deleted(client: Client) -> None:
    batch = make_draft(sign_in_with(client, *WORK), status="open")

    answer = client.post(reverse("admin:hits_batch_delete", args=[batch.pk]), {"post": "yes"})

    assert (answer.status_code, Batch.objects.count()) == (403, 1)


def test_terms_of_a_launched_batch_are_shown_and_never_changed(client: Client) -> None:
    rules = [{**ALL_RIGHT, "name": "as it was"}]
    batch = make_draft(
        sign_in_with(client, *WORK), status="open", terms={"bonus_rules": rules, "fee_schedule": "amazon"}
    )
    before = Batch.objects.values().get()
    address = reverse("admin:hits_batch_change", args=[batch.pk])

    page = client.get(address)
    client.post(address, terms(batch))
    client.post(step_url(batch, "terms"), terms(batch))

    assert "these terms do not change any more" in text_of(page)
    assert "<strong>as it was</strong>: $0.01 once, where the mean of “jaccard” is at least 100 %" in text_of(
        page
    )
    assert Batch.objects.values().get() == before


def test_launch_page_shows_everything_that_it_costs(client: Client, turk: StubbedTurk) -> None:
    user = sign_in_with(client, *WORK)
    study = make_study(budget=10, reserved=4, wage_floor=9)
    batch = make_draft(user, study=study, estimated_s=36)

    page = client.get(launch_url(batch))

    assert page.context["plan"].cost.total == Decimal("0.12")
    assert page.context["balance"].amount == Decimal(100)
    assert (page.context["budget"].before, page.context["budget"].after) == (6, Decimal("5.88"))
    assert page.context["wage"].hourly == Decimal("3.00")
    assert "At $3.00 an hour the batch pays less than the study&#x27;s wage floor of $9" in text_of(page)
    assert "your estimate: nothing has been measured yet" in text_of(page)
    assert "Launch 1 HIT for at most $0.12" in text_of(page)


def test_launch_page_shows_both_plans_from_ten_workers_on(client: Client, turk: StubbedTurk) -> None:
    account = make_account(fee_schedule="amazon")
    batch = make_draft(
        sign_in_with(client, *WORK), account=account, assignments_per_hit=10, reward=Decimal(1), hits_wanted=2
    )

    plans = client.get(launch_url(batch)).context["plans"]

    assert [(plan.hits, plan.places, plan.cost.fees, plan.is_chosen) for plan in plans] == [
        (4, 20, Decimal("4.00"), True),
        (2, 20, Decimal("8.00"), False),
    ]


def test_wage_is_measured_where_there_are_times(client: Client) -> None:
    study = make_study()
    make_batch(study=study, status="complete", figures={"median_s": None})
    earlier = make_batch(
        study=study, status="complete", figures={"median_s": 60.0, "submitted": 1}, items_per_assignment=2
    )
    make_batch(study=study, status="open", figures={})
    batch = make_batch(study=study, reward=Decimal("0.10"), items_per_assignment=1)

    wage = prices.wage_of(batch)

    assert wage is not None
    assert (wage.hourly, wage.seconds) == (Decimal("12.00"), 30)
    assert wage.basis == (
        f"the median active time that was measured in batch {earlier.pk}, of 1 work, "
        "at 1 item for each assignment instead of 2"
    )


def test_terms_say_how_many_hits_the_answers_need(client: Client) -> None:
    batch = make_draft(sign_in_with(client, *WORK), items_per_assignment=1, assignments_per_hit=2)
    Item.objects.update(wanted=5)

    page = text_of(client.get(step_url(batch, "terms")))

    assert "Answers needed: 5. With the numbers saved here, 3 HITs would have room for all of them." in page


def test_terms_count_the_parts_in_which_a_hit_of_many_is_posted() -> None:
    batch = make_batch(items_per_assignment=1, assignments_per_hit=45)

    words = room_in_words(batch, wanted=90)

    assert words.endswith("2 HITs would have room for all of them, posted in 10 parts of at most 9 workers.")


@pytest.mark.parametrize("wanted", [0, 450])
def test_terms_of_a_test_speak_of_workers_and_of_no_number_of_answers(wanted: int) -> None:
    batch = make_batch(task=SOLVER_TEST, items_per_assignment=10, assignments_per_hit=45)

    words = room_in_words(batch, wanted=wanted)

    assert "it takes 45 workers." in words
    assert ("HIT" in words, "no question yet" in words) == (False, not wanted)


def test_terms_of_a_draft_without_items_promise_no_room(client: Client) -> None:
    batch = make_draft(sign_in_with(client, *WORK))
    Item.objects.update(wanted=0)

    page = text_of(client.get(step_url(batch, "terms")))

    assert "No item needs an answer yet." in page
    assert "room for all" not in page


def test_draft_of_a_task_that_is_gone_says_so_on_its_launch_page(client: Client, turk: StubbedTurk) -> None:
    batch = make_draft(sign_in_with(client, *WORK), task="gone.task")

    page = client.get(launch_url(batch))

    assert page.status_code == 200
    assert "There is no task gone.task any more. Choose another." in text_of(page)


def test_launch_page_is_useful_without_the_provider(client: Client, turk: StubbedTurk) -> None:
    batch = make_draft(sign_in_with(client, *WORK))
    turk.faults["get_account_balance"] = ["before"]

    page = client.get(launch_url(batch))

    assert page.status_code == 200
    assert "balance could not be read" in text_of(page)
    assert turk.calls == ["get_account_balance"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"budget": None}, "The study has no budget."),
        ({"budget": Decimal("0.10")}, "Raise the budget by $0.02"),
    ],
)
def test_launch_page_says_why_a_launch_would_be_refused(
    client: Client, turk: StubbedTurk, changes: dict[str, Any], words: str
) -> None:
    batch = make_draft(sign_in_with(client, *WORK), study=make_study(**changes))

    page = client.get(launch_url(batch))
    launch(client, batch)

    assert words in text_of(page)
    assert "Launch 1 HIT" not in text_of(page)
    assert (batch.hits.count(), Batch.objects.get().status) == (0, "draft")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reward": 0}, "The reward is zero"),
        ({"review_by": "hand", "auto_approval_s": 3600}, "hardly time to look"),
        ({"duration_s": 60, "estimated_s": 30}, "slow workers will be late"),
        ({"lifetime_s": 60}, "many workers never see them"),
        ({"hits_wanted": 2}, "room for 6 answers, and 3 are needed"),
        ({"assignments_per_hit": 1}, "2 stay open"),
        ({"pilot_hits": 1}, "The pilot is the whole batch"),
    ],
)
def test_launch_page_warns_of_what_is_seldom_meant(
    client: Client, turk: StubbedTurk, changes: dict[str, Any], words: str
) -> None:
    batch = make_draft(sign_in_with(client, *WORK), **changes)

    assert words in text_of(client.get(launch_url(batch)))


@pytest.mark.parametrize(
    ("changes", "warns"),
    [
        ({"status": Batch.Status.OPEN}, True),
        ({"status": Batch.Status.PAUSED}, True),
        ({"status": Batch.Status.COMPLETE}, False),
        ({"status": Batch.Status.OPEN, "items_from": Batch.ItemsFrom.FILE}, False),
        ({"status": Batch.Status.OPEN, "study": None}, False),
    ],
)
def test_launch_page_warns_of_a_batch_that_asks_for_the_same_answers(
    client: Client, turk: StubbedTurk, changes: dict[str, Any], warns: bool
) -> None:
    batch = make_draft(sign_in_with(client, *WORK))
    study = changes.pop("study", batch.study) or make_study()
    make_batch(study=study, title="The first round", **changes)

    page = text_of(client.get(launch_url(batch)))

    assert ("“The first round” still asks for the same answers" in page) == warns


def test_launch_of_a_pilot_says_what_is_on_its_way_and_what_waits(client: Client, turk: StubbedTurk) -> None:
    batch = make_draft(sign_in_with(client, *WORK, "launch_batch"), hits_wanted=9, pilot_hits=3)
    address = reverse("admin:hits_batch_launch", args=[batch.pk])

    seen = client.get(address).context["seen"]
    launched = text_of(client.post(address, {"seen": seen}, follow=True))

    assert "Launched: 3 HITs are on their way. Until you send the rest, it waits: 6 HITs." in launched


def test_launch_launches_once(client: Client, turk: StubbedTurk) -> None:
    batch = make_draft(sign_in_with(client, *WORK))

    first, second = launch(client, batch), launch(client, batch)

    assert "Launched: 1 HIT is on its way." in text_of(first)
    assert "has been launched already" in text_of(second)
    assert batch.hits.count() == 1


def test_launch_of_what_was_changed_meanwhile_is_refused(client: Client, turk: StubbedTurk) -> None:
    batch = make_draft(sign_in_with(client, *WORK))
    seen = drafting.stamp_all(batch)
    drafting.save_step(batch=batch, step="terms", values={"reward": "5.00"})

    page = launch(client, batch, seen=seen)

    assert "Look at it again" in text_of(page)
    assert (batch.hits.count(), Batch.objects.get().status) == (0, "draft")


def test_launch_without_permission_can_be_looked_at_and_not_done(client: Client, turk: StubbedTurk) -> None:
    batch = make_draft(sign_in_with(client, "view_batch", "change_batch"))

    looked = client.get(launch_url(batch))
    done = client.post(launch_url(batch), {"seen": drafting.stamp_all(batch)})

    assert (looked.status_code, done.status_code) == (200, 403)
    assert "Launch 1 HIT" not in text_of(looked)
    assert (batch.hits.count(), Batch.objects.get().status) == (0, Batch.Status.DRAFT)


def test_launch_for_real_money_needs_a_permission_and_the_title(client: Client, turk: StubbedTurk) -> None:
    user = sign_in_with(client, *WORK)
    account = make_account(environment=Account.Environment.PRODUCTION)
    batch = make_draft(user, account=account, title="Which  pictures?")

    refused = client.post(launch_url(batch), {"seen": drafting.stamp_all(batch), "confirmed": batch.title})
    user.user_permissions.add(*permissions("launch_production"))
    unconfirmed = launch(client, batch, confirmed="yes")
    before = batch.hits.count()
    confirmed = launch(client, batch, confirmed="which pictures?")

    assert (refused.status_code, before) == (403, 0)
    assert "Confirm that you mean it" in text_of(unconfirmed)
    assert "Launched: 1 HIT" in text_of(confirmed)


@pytest.mark.parametrize("page", ["add", "what", "terms", "people", "launch", "frozen"])
def test_pages_ask_little_and_as_often_for_many_rows(client: Client, turk: StubbedTurk, page: str) -> None:
    user = sign_in_with(client, *WORK)
    batch = make_draft(user, items_from="file" if page == "what" else "pool")
    if page == "frozen":
        Batch.objects.update(status="open", launched_at=NOW)
    address = {
        "add": reverse("admin:hits_batch_add"),
        "launch": launch_url(batch),
        "frozen": reverse("admin:hits_batch_change", args=[batch.pk]),
    }.get(page) or step_url(batch, page)
    counts = []
    for _ in range(2):
        for _ in range(2):
            other = make_batch(study=batch.study, account=batch.account, status="open")
            batch.exclude_batches.add(other)
            make_study().members.add(user)
        with CaptureQueriesContext(connection) as queries:
            client.get(address)
        counts.append(len(queries))

    assert counts[0] == counts[1]
    # The page of a launch names the consent and the tests, too.
    assert counts[0] <= 14, [query["sql"] for query in queries]
