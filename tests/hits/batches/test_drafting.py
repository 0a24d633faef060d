"""Drafts are saved step by step, with their items, and no other person's changes are lost."""

from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winogavil.domain import SOLVE
from crowd.winogavil.models import Association
from hits.batches import domain as criteria
from hits.batches.services import drafting
from hits.core.domain import requirements
from hits.core.errors import InvalidItems, RuleBroken
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_hit,
    make_picture,
    make_study,
    make_user,
)

django_db = pytest.mark.django_db


def make_file(lines: int = 1) -> bytes:
    """Make a CSV file of so many associations over five pictures of the pool."""
    keys = [make_picture().key for _ in range(5)]
    words = ["cold", "warm", "wild", "calm", "loud", "soft"]
    rows = [f"{words[number]},{'|'.join(keys)},{keys[0]}|{keys[1]}" for number in range(lines)]
    return "\n".join(["cue,candidates,chosen", *rows]).encode()


def make_draft_of_file(lines: int = 2) -> Batch:
    draft = make_batch(items_from=Batch.ItemsFrom.FILE)
    drafting.add_items(batch=draft, content=make_file(lines))
    draft.refresh_from_db()
    return draft


def everything(batch: Batch) -> Any:
    return (
        Batch.objects.filter(pk=batch.pk).values().get(),
        sorted(batch.exclude_batches.values_list("pk", flat=True)),
        sorted(batch.items.values_list("pk", flat=True)),
    )


@django_db
def test_start_draft_takes_the_words_of_its_task_and_as_many_hits_as_are_wanted() -> None:
    study, user = make_study(), make_user()
    for cue in ("cold", "warm"):
        make_association(study=study, cue=cue)

    draft = drafting.start_draft(study=study, account=make_account(), task=SOLVE, by=user)

    draft.refresh_from_db()
    assert (draft.title, draft.hits_wanted, draft.created_by) == ("Which pictures go with the word?", 2, user)


@django_db
def test_start_draft_takes_other_words_where_they_are_given() -> None:
    terms: dict[str, Any] = {"study": make_study(), "account": make_account(), "task": SOLVE, "by": None}

    draft = drafting.start_draft(**terms, title="Mine", hits_wanted=4)

    draft.refresh_from_db()
    assert (draft.title, draft.description[:7], draft.hits_wanted) == ("Mine", "You see", 4)


@django_db
@pytest.mark.parametrize("size", [{"hits_wanted": 100_000, "assignments_per_hit": 10}])
def test_draft_of_more_hits_than_can_be_sent_is_refused(size: dict[str, Any]) -> None:
    draft = make_batch()
    before = everything(draft)

    with pytest.raises(RuleBroken, match="200,000 HITs"):
        drafting.save_step(batch=draft, step="terms", values=size)
    with pytest.raises(RuleBroken, match="200,000 HITs"):
        drafting.start_draft(study=draft.study, account=draft.account, task=SOLVE, by=None, **size)

    assert everything(draft) == before
    assert Batch.objects.count() == 1


@django_db
def test_start_draft_twice_with_one_key_makes_one() -> None:
    user, key = make_user(), uuid4()
    terms: dict[str, Any] = {"study": make_study(), "account": make_account(), "task": SOLVE, "by": user}

    first = drafting.start_draft(**terms, key=key)
    second = drafting.start_draft(**terms, key=key)

    assert first == second
    assert Batch.objects.count() == 1


@django_db
def test_save_step_writes_this_step_and_no_other() -> None:
    draft = make_batch(repeat_group="group")
    before = drafting.stamp(draft, "people")

    drafting.save_step(batch=draft, step="terms", values={"title": "New", "repeat_group": "other"})

    draft.refresh_from_db()
    assert (draft.title, draft.repeat_group) == ("New", "group")
    assert drafting.stamp(draft, "people") == before


@django_db
def test_save_step_in_two_windows_notices_the_second() -> None:
    draft = make_batch()
    seen = drafting.stamp(draft, "terms")
    drafting.save_step(batch=draft, step="terms", values={"title": "First"}, seen=seen)

    with pytest.raises(RuleBroken, match="another window") as refused:
        drafting.save_step(batch=draft, step="terms", values={"title": "Second"}, seen=seen)

    draft.refresh_from_db()
    assert (refused.value.code, draft.title) == ("stale", "First")


@django_db
def test_save_step_of_two_steps_in_two_windows_is_fine() -> None:
    draft = make_batch()
    seen = {step: drafting.stamp(draft, step) for step in ("terms", "people")}

    drafting.save_step(batch=draft, step="terms", values={"title": "First"}, seen=seen["terms"])
    drafting.save_step(batch=draft, step="people", values={"repeat_group": "a"}, seen=seen["people"])

    draft.refresh_from_db()
    assert (draft.title, draft.repeat_group) == ("First", "a")


@django_db
@pytest.mark.parametrize("status", ["open", "launching", "cancelled"])
@pytest.mark.parametrize(
    "change",
    [
        lambda batch: drafting.save_step(batch=batch, step="terms", values={"title": "New"}),
        lambda batch: drafting.add_items(batch=batch, content=make_file()),
        lambda batch: drafting.remove_items(batch=batch),
        lambda batch: drafting.delete_draft(batch=batch),
    ],
)
def test_nothing_of_a_batch_that_is_no_draft_is_written(change: Any, status: str) -> None:
    batch = make_batch(status=status, items_from=Batch.ItemsFrom.FILE)
    before = everything(batch)

    with pytest.raises(RuleBroken, match="no longer a draft"):
        change(batch)

    assert everything(batch) == before


@django_db
def test_add_items_are_the_batchs_own_and_size_it() -> None:
    draft = make_batch(items_from=Batch.ItemsFrom.FILE)

    added = drafting.add_items(batch=draft, content=make_file(2), seen=0)

    draft.refresh_from_db()
    assert (added, draft.items.count(), draft.hits_wanted) == (2, 2, 2)


@django_db
def test_add_items_leaves_a_number_of_hits_that_somebody_has_set() -> None:
    draft = make_batch(items_from=Batch.ItemsFrom.FILE, hits_wanted=7)

    drafting.add_items(batch=draft, content=make_file(2))

    draft.refresh_from_db()
    assert draft.hits_wanted == 7


@django_db
def test_save_step_leaves_a_number_of_hits_that_is_one_on_purpose() -> None:
    draft = make_batch(hits_wanted=1, assignments_per_hit=1)
    make_association(study=draft.study)

    drafting.save_step(batch=draft, step="people", values={"repeat_group": "a"})

    draft.refresh_from_db()
    assert draft.hits_wanted == 1


@django_db
def test_add_items_sent_twice_adds_once() -> None:
    draft = make_batch(items_from=Batch.ItemsFrom.FILE)
    content = make_file()
    drafting.add_items(batch=draft, content=content, seen=0)

    with pytest.raises(RuleBroken, match="has 1 items by now"):
        drafting.add_items(batch=draft, content=content, seen=0)

    assert draft.items.count() == 1


@django_db
def test_add_items_of_a_file_with_one_wrong_line_adds_nothing() -> None:
    draft = make_batch(items_from=Batch.ItemsFrom.FILE)

    with pytest.raises(InvalidItems, match="Line 3"):
        drafting.add_items(batch=draft, content=make_file() + b"\nx y,a,b")

    assert draft.items.count() == 0


@django_db
def test_add_items_refuses_a_file_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafting, "MOST_BYTES", 10)
    draft = make_batch(items_from=Batch.ItemsFrom.FILE)

    with pytest.raises(InvalidItems, match="at most"):
        drafting.add_items(batch=draft, content=make_file())

    assert draft.items.count() == 0


@django_db
def test_add_items_refuses_more_items_than_a_batch_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafting, "MOST_ITEMS", 1)
    draft = make_batch(items_from=Batch.ItemsFrom.FILE)

    with pytest.raises(InvalidItems, match="these would be 2"):
        drafting.add_items(batch=draft, content=make_file(2))

    assert draft.items.count() == 0


@django_db
def test_remove_items_takes_the_batchs_own_and_leaves_the_pool() -> None:
    draft = make_draft_of_file()
    kept = make_association(study=draft.study)

    assert drafting.remove_items(batch=draft) == 2

    assert list(Item.objects.all()) == [kept.item]
    assert list(Association.objects.all()) == [kept]


@django_db
@pytest.mark.parametrize("change", ["study", "items_from"])
def test_items_of_a_file_are_not_lost_by_another_choice(change: str) -> None:
    draft = make_draft_of_file()
    values = {"study": make_study(), "items_from": Batch.ItemsFrom.POOL}
    before = everything(draft)

    with pytest.raises(RuleBroken, match="Remove the 2 items"):
        drafting.save_step(batch=draft, step="what", values={change: values[change]})

    assert everything(draft) == before


@django_db
def test_another_batchs_items_are_asked_anew_of_other_workers() -> None:
    source = make_draft_of_file()
    Batch.objects.filter(pk=source.pk).update(status="complete", launched_at=NOW, terms={})
    source.refresh_from_db()
    draft = make_batch(study=source.study, account=source.account)

    values = {"items_from": Batch.ItemsFrom.BATCH, "source_batch": source}
    drafting.save_step(batch=draft, step="what", values=values)

    draft.refresh_from_db()
    asked = draft.items.order_by("pk")
    assert [item.repeats for item in asked] == list(source.items.order_by("pk"))
    assert [item.wanted for item in asked] == [3, 3]
    assert [item.association.cue for item in asked] == ["cold", "warm"]
    assert asked[0].association.chosen_keys == source.items.order_by("pk")[0].association.chosen_keys
    assert (draft.source_batch, list(draft.exclude_batches.all())) == (source, [source])
    assert draft.hits_wanted == 2


@django_db
def test_of_the_pool_only_what_the_other_batch_has_asked_is_asked_anew() -> None:
    source = make_batch(status="complete")
    asked, _ = (make_association(study=source.study, cue=cue) for cue in ("cold", "warm"))
    assignment = make_assignment(hit=make_hit(batch=source))
    Lease.objects.create(item=asked.item, assignment=assignment, worker=assignment.worker, leased_at=NOW)
    draft = make_batch(study=source.study)

    values = {"items_from": Batch.ItemsFrom.BATCH, "source_batch": source}
    drafting.save_step(batch=draft, step="what", values=values)

    assert [item.repeats for item in draft.items.all()] == [asked.item]


@django_db
def test_leaving_the_other_batch_takes_its_items_and_its_exclusion_away() -> None:
    source = make_draft_of_file()
    Batch.objects.filter(pk=source.pk).update(status="complete", launched_at=NOW, terms={})
    source.refresh_from_db()
    draft = make_batch(study=source.study)
    values = {"items_from": Batch.ItemsFrom.BATCH, "source_batch": source}
    drafting.save_step(batch=draft, step="what", values=values)

    drafting.save_step(batch=draft, step="what", values={"items_from": "pool", "source_batch": None})

    draft.refresh_from_db()
    assert (draft.items.count(), draft.exclude_batches.count(), draft.source_batch) == (0, 0, None)
    assert source.items.count() == 2


@django_db
@pytest.mark.parametrize(
    ("make_source", "code"),
    [
        (lambda study: make_batch(study=study), "wrong_source"),
        (lambda _: make_batch(status="open"), "wrong_source"),
        (lambda study: make_batch(study=study, status="open"), "nothing_asked"),
        (lambda _: None, "no_source"),
    ],
)
def test_another_batch_that_cannot_be_asked_anew_is_refused(make_source: Any, code: str) -> None:
    draft = make_batch()
    source = make_source(draft.study)
    before = everything(draft)

    with pytest.raises(RuleBroken) as refused:
        drafting.save_step(
            batch=draft, step="what", values={"items_from": Batch.ItemsFrom.BATCH, "source_batch": source}
        )

    assert refused.value.code == code
    assert everything(draft) == before


@django_db
def test_masters_stay_masters_on_an_account_of_another_environment() -> None:
    masters = [{"QualificationTypeId": requirements.MASTERS["marketplace"], "Comparator": "Exists"}]
    draft = make_batch(requirements=masters)
    account = make_account(environment=Account.Environment.PRODUCTION)

    drafting.save_step(batch=draft, step="what", values={"account": account})

    draft.refresh_from_db()
    assert draft.requirements == [{**masters[0], "QualificationTypeId": requirements.MASTERS["production"]}]


@django_db
def test_copy_batch_has_the_same_terms_and_nothing_of_its_life() -> None:
    batch = make_batch(status="complete", title="Again", repeat_group="a", reserved=5, hits_wanted=9)
    batch.exclude_batches.add(make_batch(status="open"))

    copy = drafting.copy_batch(batch=batch, by=make_user())

    copy.refresh_from_db()
    assert (copy.title, copy.repeat_group, copy.hits_wanted) == ("Again", "a", 9)
    assert (copy.status, copy.launched_at, copy.terms, copy.reserved) == ("draft", None, None, Decimal(0))
    assert list(copy.exclude_batches.all()) == list(batch.exclude_batches.all())


@django_db
def test_delete_draft_takes_its_items_along() -> None:
    draft = make_draft_of_file()

    drafting.delete_draft(batch=draft)

    assert (Batch.objects.count(), Item.objects.count(), Association.objects.count()) == (0, 0, 0)


@django_db
def test_draft_that_was_deleted_in_another_window_is_told() -> None:
    draft = make_batch()
    Batch.objects.filter(pk=draft.pk).delete()

    with pytest.raises(RuleBroken, match="deleted meanwhile"):
        drafting.save_step(batch=draft, step="terms", values={"title": "New"})


@django_db
def test_launch_draft_launches_what_was_shown_and_nothing_else() -> None:
    draft = make_draft_of_file()
    seen = drafting.stamp_all(draft)
    drafting.save_step(batch=draft, step="terms", values={"reward": "0.50"})

    with pytest.raises(RuleBroken, match="Look at it again"):
        drafting.launch_draft(batch=draft, seen=seen, by=make_user(), confirmed=False, now=NOW)

    assert (Batch.objects.get().status, draft.hits.count()) == ("draft", 0)


places = st.lists(st.sampled_from(["US", "GB", "US-PA", "DE"]), unique=True, max_size=3)
numbers = st.none() | st.integers(0, 100)


@given(
    found=st.builds(
        criteria.Criteria,
        approved_percent=numbers,
        approved_number=numbers,
        countries=places,
        not_countries=places,
        masters=st.booleans(),
        adult=st.booleans(),
        own=st.lists(
            st.builds(
                criteria.NumberRequirement,
                type_id=st.just("3OWN"),
                comparator=st.just("In"),
                values=st.lists(st.integers(0, 9), min_size=1, max_size=3).map(tuple),
            ),
            max_size=2,
        ),
    ),
    guarded=st.sampled_from(sorted(requirements.GUARDED)),
)
def test_criteria_are_read_as_they_were_built(found: criteria.Criteria, guarded: str) -> None:
    rows = criteria.build(found, environment="sandbox")
    found.guarded = guarded if rows else "Accept"

    rows = criteria.build(found, environment="sandbox")

    requirements.check(rows)
    assert criteria.read(rows) == found


@pytest.mark.parametrize(
    "row",
    [
        {
            "QualificationTypeId": requirements.LOCALE,
            "Comparator": "EqualTo",
            "LocaleValues": [{"Country": "US"}],
        },
        {"QualificationTypeId": "3OWN", "Comparator": "Exists", "RequiredToPreview": True},
        {"QualificationTypeId": "3OWN", "Comparator": "EqualTo", "IntegerValues": [1]},
        {
            "QualificationTypeId": requirements.PERCENT_APPROVED,
            "Comparator": "LessThan",
            "IntegerValues": [98],
        },
    ],
)
def test_criteria_lose_nothing_that_was_written_by_hand(row: dict[str, Any]) -> None:
    first = {"QualificationTypeId": requirements.ADULT, "Comparator": "EqualTo", "IntegerValues": [1]}

    rows = criteria.build(criteria.read([first, row]), environment="sandbox")

    assert rows == [first, row]


@pytest.mark.parametrize("text", ["USA", "U", "12", "us-", "US PA-1234"])
def test_read_places_names_what_is_no_country(text: str) -> None:
    with pytest.raises(ValueError, match="is not a country code"):
        criteria.read_places(text)
