"""Descriptions are kept whole, one version after another, and never overwrite another person's change."""

from datetime import timedelta

import pytest

from crowd.plain.models import Description
from crowd.plain.queries.described_pages import described
from crowd.plain.services.page_descriptions import describe_page, stamp_of
from hits.core.errors import InvalidItems, RuleBroken
from tests.crowd.plain.describing import ALONE, SHORT
from tests.crowd.plain.making import add_sentences, ask, asked_project, describe, make_project
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db


def test_page_without_fault_is_kept_and_may_change_until_it_is_asked() -> None:
    project = make_project()

    first = describe(project, SHORT.replace("\n", "\r\n"))
    second = describe(project, ALONE, now=NOW + timedelta(minutes=1))

    assert (first.pk, first.text) == (second.pk, SHORT)
    assert (second.version, Description.objects.get().text) == (1, ALONE)


def test_page_with_faults_is_not_kept() -> None:
    project = make_project()

    with pytest.raises(InvalidItems) as refused:
        describe(project, "title: T\ntext: A\nask: A?\nfoo: bar")

    assert [problem[:42] for problem in refused.value.problems] == [
        "Line 2: a question has a name of small let",
        "Line 4: “foo” is no word of a description.",
    ]
    assert described(project) is None


def test_page_that_somebody_else_has_kept_is_not_overwritten() -> None:
    project = make_project()
    seen = stamp_of(describe(project))
    describe(project, ALONE, now=NOW + timedelta(minutes=1))

    with pytest.raises(RuleBroken, match="Another page was kept meanwhile"):
        describe_page(project=project, text=SHORT, seen=seen, by=make_user(), now=NOW)

    assert Description.objects.get().text == ALONE


def test_page_that_was_asked_stays_and_a_new_version_begins() -> None:
    project = asked_project("The cat sat.")

    new = describe(project, ALONE, now=NOW + timedelta(minutes=1))

    assert (new.version, new.rows.count()) == (2, 0)
    assert Description.objects.get(version=1).text == SHORT


def test_rows_of_the_earlier_version_are_asked_until_the_new_one_is() -> None:
    project = asked_project("The cat sat.")
    old = Description.objects.get()
    describe(project, ALONE, now=NOW + timedelta(minutes=1))
    row = old.rows.select_related("item").get()
    assert row.item

    assert row.item.pulled_at is None
    ask(project, now=NOW + timedelta(minutes=2))

    row.item.refresh_from_db()
    assert row.item.pulled_at == NOW + timedelta(minutes=2)
    assert Description.objects.get(version=2).rows.get().item is not None


def test_page_may_not_name_a_column_that_waiting_rows_lack() -> None:
    project = make_project()
    describe(project)
    add_sentences(project, "The cat sat.")

    with pytest.raises(RuleBroken, match="nothing for source"):
        describe(project, f"{SHORT}say: From {{{{ source }}}}", now=NOW + timedelta(minutes=1))
    with pytest.raises(RuleBroken, match="nothing for sentence"):
        describe(project, f"{SHORT}picture: sentence", now=NOW + timedelta(minutes=1))

    assert describe(project, ALONE, now=NOW + timedelta(minutes=1)).text == ALONE
