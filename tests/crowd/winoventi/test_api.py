"""The exception procedure in the REST API."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.winoventi import domain
from crowd.winoventi.models import Evaluation, Generic, Premise, Project, Step
from crowd.winoventi.roles import KEEP, LOOK
from hits.identity.api_tokens import Scope
from tests.crowd.winoventi.rows import (
    make_analysis,
    make_everything,
    make_generic,
    make_pair,
    make_project,
)
from tests.factories import make_batch, make_study
from tests.hits.calling import Notebook, notebook
from tests.scoring.fakes import make_rival

pytestmark = pytest.mark.django_db
LISTS = (
    "projects",
    "steps",
    "nouns",
    "generics",
    "alternatives",
    "premises",
    "judgements",
    "prompts",
    "choices",
    "words",
    "evaluations",
    "model-answers",
)


def researcher(project: Project, **more: Any) -> Notebook:
    return notebook(*LOOK, *KEEP, sees=[project.study], **more)


def reader(*projects: Project) -> Notebook:
    return notebook(*LOOK, sees=[project.study for project in projects])


def rows(held: Notebook, path: str, **query: str) -> list[dict[str, Any]]:
    answer = held.get(f"winoventi/{path}/", **query)
    assert answer.status_code == 200, answer.content
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def step_of(project: Project, kind: str) -> Step:
    return project.steps.get(kind=kind)


def test_procedure_is_opened_with_its_steps_and_its_rules_are_changed() -> None:
    study = make_study()
    bert, gpt = make_rival("bert", kind="masked"), make_rival("gpt2", kind="causal")
    held = notebook(*LOOK, *KEEP, sees=[study])

    made = held.post(
        "winoventi/projects/",
        {"study": str(study.public_id), "ks": [1, 3], "generics_model": bert.pk, "answers_wanted": 5},
    )
    here = f"winoventi/projects/{made.json()['number']}/"
    changed = held.patch(here, {"perplexity_model": gpt.pk, "stop_list": "good\nbad"})
    wrong = [held.patch(here, {"filter_model": gpt.pk}), held.patch(here, {"fails_at": 6})]

    assert (made.status_code, made.json()["ks"], made.json()["generics_model"]) == (201, [1, 3], "bert")
    assert Step.objects.count() == len(Step.Kind)
    assert (changed.json()["perplexity_model"], changed.json()["stop_list"]) == ("gpt2", "good\nbad")
    assert (changed.json()["answers_wanted"], changed.json()["is_stale"]) == (5, False)
    assert [answer.status_code for answer in wrong] == [400, 400]


def test_change_of_a_rule_has_earlier_decisions_made_again() -> None:
    project = make_project("lemon")

    answer = researcher(project).patch(f"winoventi/projects/{project.pk}/", {"fails_at": 1})

    assert (answer.json()["fails_at"], answer.json()["is_stale"]) == (1, True)


def test_pair_is_read_from_its_noun_to_its_people() -> None:
    project = make_project()
    pair = make_everything(project)
    held = reader(project)

    (premise,) = rows(held, "premises", state="valid", alternative=str(pair.alternative_id))
    (alternative,) = [row for row in rows(held, "alternatives") if row["number"] == pair.alternative_id]
    judgements = rows(held, "judgements", premise=str(pair.pk))
    prompts = rows(held, "prompts", premise=str(pair.pk))
    choices = [rows(held, "choices", prompt=str(prompt["number"])) for prompt in prompts]
    answers = rows(held, "model-answers", premise=str(pair.pk))

    assert (premise["noun"], premise["generic"], premise["exception"]) == ("lemon", "sour", "sweet")
    assert [(one["rival"], one["passes"]) for one in alternative["scores"]] == [("bert-large-uncased", True)]
    assert [row["objections"] for row in judgements] == [[], ["exception_fits_generic"]]
    assert [(row["kind"], row["target"]) for row in prompts] == [("generic", "sour"), ("exception", "sweet")]
    assert [[row["is_right"] for row in some] for some in choices] == [[True], [False]]
    assert [(row["model"], row["is_right"]) for row in answers] == [
        ("a-model-of-others", True),
        ("a-model-of-others", False),
    ]
    assert premise["worker"] == pair.worker.pseudonym


def test_no_provider_id_of_a_worker_is_told_and_nothing_to_strangers() -> None:
    project = make_project()
    pair = make_everything(project)
    held, stranger = reader(project), notebook(*LOOK)

    told = json.dumps([rows(held, path) for path in LISTS])

    assert pair.worker.external_id not in told
    assert [rows(stranger, path) for path in LISTS] == [[]] * len(LISTS)
    assert stranger.get(f"winoventi/premises/{pair.pk}/").status_code == 404


def test_nouns_are_added_after_the_existing_ones_or_none() -> None:
    project = make_project("lemon")
    held, here = researcher(project), f"winoventi/projects/{project.pk}/nouns/"

    refused = held.post(here, {"words": ["sky", "x" * 65]})
    unallowed = reader(project).post(here, {"words": ["sky"]})
    added = held.post(here, {"words": ["sky", "bat"]})

    assert (refused.status_code, unallowed.status_code) == (400, 403)
    assert added.json()["message"] == "2 nouns were added."
    assert [row["word"] for row in rows(held, "nouns")] == ["lemon", "sky", "bat"]
    assert [row["row"] for row in rows(held, "nouns", word="bat")] == [3]


def test_step_goes_on_by_itself_waits_and_lets_in_what_waits() -> None:
    project = make_project("lemon")
    for rank, word in enumerate(("sour", "yellow", "round"), start=1):
        make_generic(project, "lemon", word, rank=rank)
    held, here = researcher(project), f"winoventi/steps/{step_of(project, Step.Kind.EXCEPTIONS).pk}/"

    on, off = held.post(f"{here}on/"), held.post(f"{here}off/")
    some = held.post(f"{here}advance/", {"most": 2})
    rest, none = held.post(f"{here}advance/"), held.post(f"{here}advance/")

    assert [answer.status_code for answer in (on, off, some, rest)] == [200] * 4
    assert some.json()["message"].startswith("2 advanced.")
    assert (none.status_code, none.json()["code"]) == (409, "nothing_waits")
    assert Generic.objects.filter(state=Generic.State.POSTED).count() == 3
    assert held.get(here).json()["by_itself"] is False
    assert LogEntry.objects.filter(user=held.user, object_id=str(project.pk)).count() == 4


def test_models_are_asked_by_the_steps_that_ask_them() -> None:
    bert = make_rival("bert", kind="masked")
    project = make_project("lemon", generics_model=bert, filter_model=bert)
    held = researcher(project)
    generics, exceptions = (step_of(project, kind).pk for kind in ("generics", "exceptions"))

    read = held.post(f"winoventi/steps/{generics}/read-nouns/")
    refused = held.post(f"winoventi/steps/{exceptions}/read-nouns/")

    assert (read.status_code, refused.status_code, refused.json()["code"]) == (200, 409, "refused")
    assert [run.purpose for run in project.model_runs.all()] == ["reading"]


def test_step_has_a_limit_and_a_batch_of_its_own_task() -> None:
    project = make_project("lemon")
    batch = make_batch(study=project.study, task=domain.EXCEPTIONS)
    other = make_batch(study=project.study, task=domain.PREMISES)
    held = researcher(project)
    here = f"winoventi/steps/{step_of(project, 'exceptions').pk}/"
    generics = f"winoventi/steps/{step_of(project, 'generics').pk}/"

    set_up = held.patch(here, {"most_per_worker": 40, "batch": str(batch.public_id)})
    wrong = held.patch(here, {"batch": str(other.public_id)})
    cleared = held.patch(here, {"most_per_worker": None})
    no_workers = held.patch(generics, {"most_per_worker": 40})

    assert (set_up.json()["most_per_worker"], set_up.json()["batch"]) == (40, str(batch.public_id))
    assert (wrong.status_code, no_workers.status_code) == (400, 409)
    assert (cleared.json()["most_per_worker"], cleared.json()["batch"]) == (None, str(batch.public_id))


def test_tagger_is_asked_again_by_whoever_keeps_the_project() -> None:
    project = make_project("lemon")
    here = f"winoventi/projects/{project.pk}/tag-again/"

    refused = researcher(project).post(here)
    unallowed = reader(project).post(here)

    assert (refused.status_code, refused.json()["code"]) == (409, "no_tagger")
    assert unallowed.status_code == 403


def test_verbs_need_the_permission_and_the_scope() -> None:
    project = make_project("lemon")
    step = step_of(project, "exceptions")
    unscoped = researcher(project, scopes=[Scope.READ])

    answers = [held.post(f"winoventi/steps/{step.pk}/on/") for held in (reader(project), unscoped)]

    step.refresh_from_db()
    assert ([answer.status_code for answer in answers], step.by_itself) == ([403, 403], False)


def test_generics_are_cut_at_values_of_ones_own() -> None:
    project = make_project("lemon")
    make_generic(project, "lemon", "sour", perplexity=10.0, k=1)
    make_generic(project, "lemon", "tall", perplexity=90.0, k=1)
    held, here = researcher(project), f"winoventi/projects/{project.pk}/"

    unknown = held.post(f"{here}cut/", {"cut_by": "hand", "cuts": {"2": 50.0}})
    cut = held.post(f"{here}cut/", {"cut_by": "hand", "cuts": {"1": 50.0}})

    told = {row["word"]: row["state"] for row in rows(held, "generics")}
    assert (unknown.status_code, cut.status_code, told) == (400, 200, {"sour": "found", "tall": "cut"})
    assert held.get(here).json()["cuts"] == {"1": 50.0}


def test_model_is_asked_about_the_challenge_set() -> None:
    project = make_project("lemon")
    make_rival("bert", kind="masked")
    make_rival("gpt2", kind="causal")
    held, here = researcher(project), f"winoventi/projects/{project.pk}/ask-model/"

    wrong, asked = (held.post(here, {"rival": name}) for name in ("gpt2", "bert"))
    unallowed = reader(project).post(here, {"rival": "bert"})

    (row,) = rows(held, "evaluations", is_open="true")
    assert (wrong.status_code, asked.status_code, unallowed.status_code) == (400, 200, 403)
    assert (row["name"], row["rival"], row["added_by"]) == ("bert", "bert", held.user.username)


def test_answers_of_a_model_are_uploaded_replaced_and_removed() -> None:
    project = make_project("lemon")
    pair = make_pair(project)
    held = researcher(project)
    body = {"study": str(project.study.public_id), "name": "theirs"}
    right = f"prompt,prediction\n{pair.pk}-generic,sour\n"

    bad = send(held, "upload", "prompt,prediction\n1234567-generic,sour\n", **body)
    made = send(held, "upload", right, **body)
    evaluation = Evaluation.objects.get()
    replaced = send(held, f"{evaluation.pk}/replace", f"prompt,prediction\n{pair.pk}-generic,sweet\n")
    told = [row["is_right"] for row in rows(held, "model-answers", evaluation=str(evaluation.pk))]
    removed = held.post(f"winoventi/evaluations/{evaluation.pk}/remove/")

    assert (bad.status_code, made.status_code, replaced.status_code) == (400, 201, 200)
    assert (told, removed.status_code) == ([False], 200)
    assert not Evaluation.objects.exists()


def test_part_of_speech_is_corrected_and_restored() -> None:
    project = make_project()
    make_everything(project)
    make_analysis(project)
    held = researcher(project)
    row = next(row for row in rows(held, "words", kind="exception") if row["corrected_at"] is None)
    here = f"winoventi/words/{row['number']}/"

    wrong, corrected = (held.post(f"{here}correct/", {"part": part}) for part in ("NONE", "ADV"))
    restored = held.post(f"{here}restore/")

    assert wrong.status_code == 400
    assert (corrected.json()["part"], corrected.json()["corrected_by"]) == ("ADV", held.user.username)
    assert (restored.json()["part"], restored.json()["corrected_at"]) == (row["tagged"], None)


@pytest.mark.parametrize("path", LISTS)
def test_lists_ask_as_often_for_many_rows_as_for_few(path: str) -> None:
    project = make_project()
    make_everything(project)
    make_analysis(project)
    held = reader(project)
    held.get(f"winoventi/{path}/")
    with CaptureQueriesContext(connection) as few:
        assert rows(held, path, page_size="1")
    with CaptureQueriesContext(connection) as many:
        assert len(rows(held, path)) >= 1

    assert len(few) == len(many)
    assert Premise.objects.count() > 1


def send(held: Notebook, path: str, text: str, **body: str) -> Any:
    file = BytesIO(text.encode())
    file.name = "answers.csv"
    return held.client.post(
        f"/api/winoventi/evaluations/{path}/", {"file": file, **body}, headers=held.headers()
    )
