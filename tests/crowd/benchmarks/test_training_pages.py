"""Trainings in the admin and in the API: begun, followed, stopped, gone on with, removed."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.benchmarks.models import Benchmark, Result, Training, TrainingRun
from crowd.benchmarks.services import training_runs
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from tests.crowd.benchmarks.making import asked, make_benchmark, rival_for
from tests.crowd.benchmarks.making_trainings import QUICK, begin, make_learnable, play
from tests.factories import make_study
from tests.hits.calling import Notebook, notebook
from tests.pages import text_of
from tests.people import sign_in
from tests.scoring.fakes import use_fakes
from tests.scoring.small_language_models import one_thread

pytestmark = pytest.mark.django_db
LOOK = ("releases.view_release", "benchmarks.view_result")
RUN = (*LOOK, "benchmarks.add_result", "benchmarks.delete_result")
TYPED = {"seeds": "2", "about": "the small one", **{key: str(value) for key, value in QUICK.items()}}


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(training_runs, "_live", {})
    use_fakes(monkeypatch)
    with one_thread():
        yield


def at(name: str, *args: Any) -> str:
    return reverse(f"admin:benchmarks_{name}", args=args)


def test_a_model_is_trained_from_the_page_which_follows_it(client: Client) -> None:
    benchmark, rival = make_learnable(), rival_for("winogavil")
    user = sign_in(client, RESEARCHER, benchmark.release.study)

    first = text_of(client.get(at("benchmark", benchmark.pk)))
    trained = text_of(client.get(at("trained", benchmark.pk)))
    form = text_of(client.get(at("train", benchmark.pk, "classifier")))
    sent = client.post(at("train", benchmark.pk, "classifier"), {"rival": rival.pk, **TYPED})
    training = Training.objects.get()
    waiting = text_of(client.get(at("training", training.pk)))
    play(training)
    page = text_of(client.get(at("training", training.pk)))

    assert f'href="{at("trained", benchmark.pk)}">Train a model…</a>' in first
    assert "No model is trained on this yet." in trained
    assert f'href="{at("train", benchmark.pk, "classifier")}">Classifier on frozen vectors…</a>' in trained
    assert all(f'value="{value}"' in form for value in ("5", "7", "128", "0.001", "10"))
    assert sent.headers["Location"] == at("training", training.pk)
    assert (training.made_by, training.seeds, training.settings) == (user, 2, QUICK)
    assert 'data-every="2000"' in waiting
    assert "Waiting for a worker that loads models." in waiting
    assert 'data-every="0"' in page
    assert "2 of 2" in page
    assert page.count("5 &amp; 6: 3") == 2
    assert AuditEvent.objects.filter(kind="benchmark.training_started").count() == 1


def test_its_results_stand_beside_the_untrained_model_and_are_compared_with_it(client: Client) -> None:
    benchmark, rival = make_learnable(), rival_for("winogavil")
    sign_in(client, RESEARCHER, benchmark.release.study)
    whole = asked(benchmark, rival)
    training = play(begin(benchmark, rival, seeds=1))
    result = Result.objects.get(source="trained")

    page = text_of(client.get(at("benchmark", benchmark.pk), {"one": result.pk, "other": whole.pk}))
    shown = text_of(client.get(at("result", result.pk)))
    csv = b"".join(client.get(at("answers", result.pk))).decode("utf-8-sig")

    assert result.name == f"model, training {training.pk}, seed 1"
    assert "trained here; Classifier on frozen vectors" in page
    assert "over 6 associations that both answered" in page
    assert "learning_rate" in shown
    assert at("remove", result.pk) not in shown
    assert len(csv.splitlines()) == 7


def test_a_wrong_number_is_refused_beside_its_field(client: Client) -> None:
    benchmark, rival = make_learnable(items=1), rival_for("winogavil")
    sign_in(client, RESEARCHER, benchmark.release.study)

    page = text_of(
        client.post(
            at("train", benchmark.pk, "classifier"),
            {"rival": rival.pk, **TYPED, "epochs": "0", "seeds": "99"},
        )
    )

    assert "Ensure this value is greater than or equal to 1." in page
    assert "Ensure this value is less than or equal to 20." in page
    assert 'value="the small one"' in page
    assert not Training.objects.exists()


def test_without_a_model_the_page_says_how_to_get_one(client: Client) -> None:
    benchmark = make_learnable(items=1)
    rival_for("winoventi")
    sign_in(client, RESEARCHER, benchmark.release.study)

    assert "No registered model can be trained so." in text_of(
        client.get(at("train", benchmark.pk, "classifier"))
    )
    assert client.get(at("train", benchmark.pk, "half")).status_code == 404


def test_a_task_without_a_recipe_offers_no_training(client: Client) -> None:
    benchmark = make_benchmark("whoops", items=2)
    sign_in(client, RESEARCHER, benchmark.release.study)

    assert "Train a model" not in text_of(client.get(at("benchmark", benchmark.pk)))


def test_it_is_stopped_after_a_question_goes_on_and_is_removed_after_another(client: Client) -> None:
    benchmark = make_learnable()
    sign_in(client, RESEARCHER, benchmark.release.study)
    training = begin(benchmark, rival_for("winogavil"))

    question = text_of(client.get(at("training_stop", training.pk)))
    client.post(at("training_stop", training.pk), {"confirmed": "yes", "asked": "1"})
    stopped = Training.objects.get().status
    client.post(at("training_resume", training.pk), {"asked": "1"})
    resumed = Training.objects.get().status
    removal = text_of(client.get(at("training_remove", training.pk)))
    client.post(at("training_remove", training.pk), {"confirmed": "yes", "asked": "1"})

    assert "The run that is being made is lost; 0 complete ones are kept." in question
    assert (stopped, resumed) == ("stopped", "open")
    assert "You remove" in removal
    assert not Training.objects.exists()
    kinds = set(AuditEvent.objects.filter(kind__startswith="benchmark.t").values_list("kind", flat=True))
    assert kinds == {f"benchmark.training_{one}" for one in ("started", "stopped", "resumed", "removed")}


PAGES = ("trained", "training")
FORMS = ("train", "training_stop", "training_remove")


def addresses(training: Training) -> dict[str, str]:
    pk = training.benchmark_id
    return {
        "trained": at("trained", pk),
        "training": at("training", training.pk),
        "train": at("train", pk, "classifier"),
        "training_stop": at("training_stop", training.pk),
        "training_remove": at("training_remove", training.pk),
    }


@pytest.mark.parametrize("name", [*PAGES, *FORMS])
def test_strangers_and_payments_staff_see_nothing(client: Client, name: str) -> None:
    training = begin(make_learnable(items=1), rival_for("winogavil"))
    address = addresses(training)[name]

    sign_in(client, RESEARCHER, make_study())
    assert client.get(address).status_code == 404
    sign_in(client, PAYMENTS_PREPARER, training.benchmark.release.study)
    assert client.get(address).status_code == 403


def test_reviewers_look_and_change_nothing(client: Client) -> None:
    training = begin(make_learnable(items=1), rival_for("winogavil"))
    sign_in(client, REVIEWER, training.benchmark.release.study)
    found = addresses(training)

    assert [client.get(found[name]).status_code for name in PAGES] == [200, 200]
    assert [client.get(found[name]).status_code for name in FORMS] == [403, 403, 403]
    assert client.post(found["training_stop"], {"confirmed": "yes"}).status_code == 403
    assert Training.objects.get().status == "open"


def test_the_pages_ask_as_many_queries_for_many_runs_as_for_few(client: Client) -> None:
    benchmark, rival = make_learnable(items=1), rival_for("winogavil")
    sign_in(client, RESEARCHER, benchmark.release.study)
    points = [{"epoch": epoch, "means": {"5 & 6": {"items": 1, "sum": "1"}}} for epoch in (0, 1)]
    counts = []
    for number in range(3):
        training = begin(benchmark, rival, seeds=3)
        for seed in range(1, 3):
            run = TrainingRun.objects.create(
                training=training, seed=seed, points=points, made_at=training.made_at
            )
            Result.objects.create(
                benchmark=benchmark,
                name=f"{number} {seed}",
                source="trained",
                run=run,
                added_at=training.made_at,
            )
        with CaptureQueriesContext(connection) as queries:
            client.get(at("trained", benchmark.pk))
            client.get(at("training", training.pk))
            client.get(at("benchmark", benchmark.pk))
        counts.append(len(queries))

    assert counts[1] == counts[2] <= 60


def member(benchmark: Benchmark, *permissions: str, **changes: Any) -> Notebook:
    return notebook(*(permissions or RUN), sees=[benchmark.release.study], **changes)


def test_the_api_trains_a_model_and_tells_its_runs_and_tables() -> None:
    benchmark, rival = make_learnable(), rival_for("winogavil")
    held = member(benchmark)
    body = {"recipe": "classifier", "model": rival.name, "seeds": 1, "settings": QUICK, "about": "small"}

    made = held.post(f"benchmarks/{benchmark.pk}/train/", body)
    play(Training.objects.get())
    one = held.get(f"benchmark-trainings/{made.json()['public_id']}/").json()
    listed = held.get("benchmark-trainings/", benchmark=str(benchmark.pk), status="done").json()["results"]
    tables = held.get(f"benchmarks/{benchmark.pk}/tables/").json()

    assert (made.status_code, made.json()["status"], made.json()["runs"]) == (201, "open", [])
    assert listed == [one]
    assert (one["status"], one["model"], one["settings"], one["about"]) == ("done", "model", QUICK, "small")
    (run,) = one["runs"]
    assert run["result"] == str(Result.objects.get(source="trained").public_id)
    assert (run["seed"], len(run["points"]), run["counts"]["5 & 6"]) == (1, 31, 3)
    names = [table["name"] for table in tables]
    assert names[-2:] == ["trained-classifier", "trained-classifier-by-epoch"]
    assert tables[-2]["rows"][0]["training"] == "untrained"


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"recipe": "half"}, 400, "There is classifier."),
        ({"model": "nobody"}, 400, "No model of this name can be trained so."),
        ({"settings": {"epochs": 0}}, 409, "Epochs must be a whole number from 1"),
        ({"settings": {"layers": 3}}, 409, "There is no setting layers."),
        ({"seeds": 0}, 400, "greater than or equal to 1"),
    ],
)
def test_the_api_refuses_what_is_wrong_in_words(changes: dict[str, Any], status: int, words: str) -> None:
    benchmark, rival = make_learnable(items=1), rival_for("winogavil")
    body = {"recipe": "classifier", "model": rival.name, **changes}

    answer = member(benchmark).post(f"benchmarks/{benchmark.pk}/train/", body)

    assert answer.status_code == status
    assert words in answer.content.decode()
    assert not Training.objects.exists()


def test_the_api_stops_resumes_and_removes() -> None:
    benchmark = make_learnable(items=1)
    training, held = begin(benchmark, rival_for("winogavil")), member(benchmark)
    address = f"benchmark-trainings/{training.public_id}"

    states = []
    for verb in ("stop", "resume"):
        assert held.post(f"{address}/{verb}/").status_code == 200
        states.append(Training.objects.get().status)
    again = held.post(f"{address}/resume/")
    removed = held.post(f"{address}/remove/")

    assert states == ["stopped", "open"]
    assert (again.status_code, again.json()["code"]) == (409, "not_stopped")
    assert removed.status_code == 200
    assert not Training.objects.exists()


@pytest.mark.parametrize("verb", ["train", "stop", "resume", "remove", "look"])
def test_members_with_the_permissions_and_the_scope_alone_come_in(verb: str) -> None:
    benchmark, rival = make_learnable(items=1), rival_for("winogavil")
    training = begin(benchmark, rival)
    needed = {"look": LOOK, "remove": (*LOOK, "benchmarks.delete_result")}.get(verb, RUN[:3])

    def call(held: Notebook) -> int:
        if verb == "train":
            body = {"recipe": "classifier", "model": rival.name}
            return int(held.post(f"benchmarks/{benchmark.pk}/train/", body).status_code)
        address = f"benchmark-trainings/{training.public_id}/"
        answer = held.get(address) if verb == "look" else held.post(f"{address}{verb}/")
        return int(answer.status_code)

    assert call(notebook(*RUN, sees=[make_study()])) == 404
    assert [call(member(benchmark, *(set(RUN) - {one}))) for one in needed] == [403] * len(needed)
    assert call(member(benchmark, scopes=["read", "draft"])) == 403
    assert Training.objects.get().status == "open"
    assert call(member(benchmark, *needed)) in (200, 201, 409)
