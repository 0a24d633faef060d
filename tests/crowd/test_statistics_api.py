"""The statistics of every family in the REST API."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.module_loading import import_string

from crowd import family as families
from crowd.winogavil.releases.models import Statistics
from hits.identity.roles import AUTHOR, PAYMENTS_PREPARER, REVIEWER
from hits.studies.models import Study
from tests.config.test_draw_figures import MAKING
from tests.factories import make_study
from tests.hits.calling import Notebook, notebook
from tests.people import make_member

pytestmark = pytest.mark.django_db
WITH_TABLES = [one for one in families.registered() if one.tables]


def reader(study: Study, role: str = REVIEWER) -> Notebook:
    return Notebook(make_member(role, study))


def told(held: Notebook, study: Study, **query: str) -> list[dict[str, Any]]:
    answer = held.get("statistics/", study=str(study.public_id), **query)
    assert answer.status_code == 200, answer.content
    assert (answer.json()["next"], answer.json()["previous"]) == (None, None)
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def test_every_family_with_tables_says_who_may_see_them() -> None:
    assert {one.key for one in WITH_TABLES} == {one.key for one in families.registered()}
    assert all(one.tables_permission for one in WITH_TABLES)


@pytest.mark.parametrize("key", MAKING)
def test_tables_are_those_of_the_pages(key: str) -> None:
    make, _ = MAKING[key]
    study = make()
    expected = import_string(families.get(key).tables)(study=study, now=timezone.now())

    found = told(reader(study), study)

    assert [(table["family"], table["name"], table["title"]) for table in found] == [
        (key, table.name, table.title) for table in expected
    ]
    for table, page in zip(found, expected, strict=True):
        assert [column["name"] for column in table["columns"]] == [
            one.name for one in page.columns if one.name
        ]
        assert len(table["rows"]) == len(list(page.as_json()))
    assert any(table["rows"] for table in found)


@pytest.mark.parametrize("key", MAKING)
def test_tables_are_for_who_has_the_permission_of_their_page(key: str) -> None:
    make, _ = MAKING[key]
    study = make()
    without = notebook("view_study", sees=[study])
    only = notebook("view_study", families.get(key).tables_permission, sees=[study])

    refused = without.get("statistics/", study=str(study.public_id), family=key)

    assert (told(without, study), refused.status_code) == ([], 403)
    assert {table["family"] for table in told(only, study)} == {key}


def test_authors_see_no_results_of_other_people() -> None:
    study = MAKING["winoground"][0]()
    author = reader(study, AUTHOR)

    assert told(author, study) == []
    assert author.get("statistics/", study=str(study.public_id), family="winoground").status_code == 403


def test_family_and_table_are_filters() -> None:
    study = MAKING["winogavil"][0]()
    held = reader(study)

    (one,) = told(held, study, family="winogavil", table="shapes")

    assert one["rows"]
    assert told(held, study, family="whoops") == []
    assert told(held, study, table="nonsense") == []


def test_cues_of_associations_are_told_too() -> None:
    study = MAKING["winogavil"][0]()
    held = reader(study)

    cues, words = (told(held, study, table=name)[0] for name in ("cues", "words"))

    assert len(cues["rows"]) == 1
    assert words["rows"][0]["associations"] > 0


def test_study_without_anything_has_no_tables() -> None:
    study = make_study()
    held = reader(study)

    assert told(held, study) == []
    assert told(held, study, family="winogavil") == []


def test_parameters_are_checked_and_other_studies_are_not_there() -> None:
    study, other = make_study(), make_study()
    held = reader(study)
    asked = [
        {},
        {"study": "1"},
        {"study": str(study.public_id), "family": "nonsense"},
        {"study": str(study.public_id), "cursor": "x"},
        {"study": str(other.public_id)},
    ]

    answers = [held.get("statistics/", **query) for query in asked]

    assert [answer.status_code for answer in answers] == [400, 400, 400, 400, 404]
    assert all(answer["Content-Type"] == "application/json" for answer in answers)
    unscoped = Notebook(held.user, scopes=["export"])
    assert unscoped.get("statistics/", study=str(study.public_id)).status_code == 403
    unpermitted = reader(study, PAYMENTS_PREPARER)
    assert told(unpermitted, study) == []


def test_figures_that_the_page_keeps_are_not_counted_again() -> None:
    study = MAKING["winogavil"][0]()
    held = reader(study)
    told(held, study)
    counted = Statistics.objects.get().counted_at

    with CaptureQueriesContext(connection) as queries:
        told(held, study)

    assert Statistics.objects.get().counted_at == counted
    assert len(queries) < 30
