"""Set-ups as in a paper in the REST API."""

from typing import Any

import pytest

from crowd import family
from crowd.papers.models import PaperSetup
from crowd.winogavil.domain import CREATE
from hits.core.models.audit_events import AuditEvent
from hits.identity.api_tokens import Scope
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.studies.models import StartingTerms, Study
from tests.factories import make_study
from tests.hits.calling import Notebook, notebook
from tests.people import make_member

pytestmark = pytest.mark.django_db
PAPERS = [one.key for one in family.registered() if one.paper]
REWARD = f"terms-{CREATE}-reward"


@pytest.fixture
def study() -> Study:
    return make_study(bonus_rules=[])


@pytest.fixture
def held(study: Study) -> Notebook:
    return Notebook(make_member(RESEARCHER, study))


def figures(held: Notebook, study: Study, key: str = "winogavil") -> dict[str, dict[str, Any]]:
    answer = held.get("paper-figures/", study=str(study.public_id), family=key)
    assert answer.status_code == 200, answer.content
    return {row["key"]: row for row in answer.json()["results"]}


def put(held: Notebook, study: Study, key: str = "winogavil", **more: Any) -> Any:
    return held.post("paper-figures/", {"study": str(study.public_id), "family": key, **more})


@pytest.mark.parametrize("key", PAPERS)
def test_a_paper_is_put_in_place_once_and_each_figure_has_its_origin(
    held: Notebook, study: Study, key: str
) -> None:
    before = figures(held, study, key)

    first, second = put(held, study, key), put(held, study, key)

    after = figures(held, study, key)
    assert all(row["origin"] for row in before.values())
    assert first.json()["message"].startswith("This study is set up. Figures put in place: ")
    assert second.json()["message"] == "All of it was in place already; nothing was changed."
    assert sum(row["differs"] for row in after.values()) < sum(row["differs"] for row in before.values())
    assert AuditEvent.objects.filter(kind="study.paper", study=study).count() == 1


def test_a_figure_of_ones_own_is_put_in_place_and_told_as_a_difference(held: Notebook, study: Study) -> None:
    put(held, study, figures={REWARD: "0.10"})

    row = figures(held, study)[REWARD]
    (setup,) = held.get("paper-setups/", study=str(study.public_id)).json()["results"]
    terms = held.get("starting-terms/", study=str(study.public_id)).json()["results"]
    assert (row["now"], row["paper"], row["differs"]) == ("$0.10", "$0.07", True)
    assert (setup["family"], setup["set_up_by"]) == ("winogavil", held.user.username)
    assert [one["reward"] for one in terms if one["task"] == CREATE] == ["0.10"]


def test_a_wrong_figure_is_refused_and_nothing_is_changed(held: Notebook, study: Study) -> None:
    wrong = put(held, study, figures={"setting-selection_threshold": 101})
    unknown = put(held, study, figures={"nonsense": 1})
    no_table = put(held, study, figures={"bonus-0-tiers-0-below": 90})

    assert [one.status_code for one in (wrong, unknown, no_table)] == [400, 400, 400]
    assert "setting-selection_threshold" in wrong.json()
    assert unknown.json() == {"figures": ["There is no nonsense here."]}
    assert (PaperSetup.objects.count(), StartingTerms.objects.count()) == (0, 0)


def test_a_study_is_set_up_by_members_with_permission_and_scope(study: Study) -> None:
    reviewer = Notebook(make_member(REVIEWER, study))
    unscoped = Notebook(make_member(RESEARCHER, study), scopes=[Scope.READ])
    partly = notebook("hits.view_study", "hits.change_study", sees=[study])
    stranger = Notebook(make_member(RESEARCHER, make_study()))

    answers = [put(one, study).status_code for one in (reviewer, unscoped, partly, stranger)]

    assert (answers, PaperSetup.objects.count()) == ([403, 403, 403, 404], 0)
    assert figures(reviewer, study)
