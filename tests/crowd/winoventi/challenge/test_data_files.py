"""A pair's history, the files of the challenge set, the statistics and other models' answers."""

import io
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from crowd.winoventi.domain.prompts import prompt_id
from crowd.winoventi.models import Choice, Evaluation, FilterScore, Judgement, ModelAnswer, Project, Prompt
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import RESEARCHER
from tests.crowd.winoventi.admin.test_projects import at, make_masked
from tests.crowd.winoventi.rows import make_pair, make_project
from tests.factories import NOW, make_worker
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(client: Client) -> Project:
    made = make_project("lemon")
    sign_in(client, RESEARCHER, made.study)
    return made


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def test_way_of_a_pair_tells_everything_with_pseudonyms_only(client: Client, project: Project) -> None:
    pair, model, judge = make_pair(project), make_masked(), make_worker(external_id="ASECRET")
    FilterScore.objects.create(
        alternative=pair.alternative,
        rival=model,
        way="one_token",
        p_generic=0.31,
        p_exception=0.02,
        passes=True,
        provenance={"weights_sha256": "ab12"},
        scored_at=NOW,
    )
    fine = dict.fromkeys(("generic_synonym", "exception_synonym", "generic_fits_exception"), False)
    Judgement.objects.create(premise=pair, worker=judge, exception_fits_generic=True, **fine)
    prompt = Prompt.objects.create(premise=pair, kind="exception")
    Choice.objects.create(prompt=prompt, worker=judge, word="sweet", is_right=True)

    page = text_of(client.get(reverse("admin:winoventi_premise_change", args=[pair.pk])))

    for said in (
        "0.31",
        "0.02",
        "ab12",
        "as if it were one token",
        "yes ✗",
        "“sweet”, right",
        judge.pseudonym,
    ):
        assert said in page
    assert "She made a smile. The lemon is ____." in page
    assert "ASECRET" not in page
    for model_name, row in (("generic", pair.alternative.generic), ("alternative", pair.alternative)):
        found = text_of(client.get(reverse(f"admin:winoventi_{model_name}_change", args=[row.pk])))
        assert "The lemon is sour." in found


def test_published_file_has_two_rows_a_pair_and_is_on_record(client: Client, project: Project) -> None:
    make_pair(project)

    answer = client.post(at("data", project), {"what": "published", "form": "tsv"})

    lines = body(answer).decode().splitlines()
    assert lines[0].split("\t")[:3] == ["Word", "Associative Bias", "Alternative"]
    assert [line.rpartition("\t")[2] for line in lines[1:]] == ["generic", "exception"]
    assert AuditEvent.objects.get(kind="challenge_set.taken").study == project.study


def test_full_file_and_splits_are_sent(client: Client, project: Project) -> None:
    for number in range(5):
        make_pair(project, f"noun{number}")

    full = body(client.post(at("data", project), {"what": "full", "form": "jsonl"}))
    parquet = body(client.post(at("data", project), {"what": "full", "form": "parquet"}))
    splits = body(client.post(at("data", project), {"what": "splits", "form": "tsv", "seed": "7"}))

    assert (len(full.splitlines()), parquet[:4]) == (10, b"PAR1")
    with zipfile.ZipFile(io.BytesIO(splits)) as archive:
        names = archive.namelist()
    assert "half-train-7.tsv" in names
    assert len(names) == 6


def test_full_form_as_tsv_is_refused(client: Client, project: Project) -> None:
    answer = client.post(at("data", project), {"what": "full", "form": "tsv"})

    assert "rows within rows" in text_of(answer)
    assert not AuditEvent.objects.exists()


def test_statistics_show_every_table_and_send_each(client: Client, project: Project) -> None:
    make_pair(project)

    page = text_of(client.get(at("statistics", project)))

    for name in ("counts", "by-k", "sentences", "objections", "people", "workers"):
        assert at("table", project, name) in page
    assert "No model has answered yet." in page
    lines = body(client.get(at("table", project, "counts"))).decode().splitlines()
    assert lines[0].lstrip("\ufeff") == "Figure,Count,Share"
    assert "Valid pairs,1,100.0 %" in lines
    assert client.get(at("table", project, "nothing")).status_code == 404


def test_uploaded_answers_are_counted_and_removed(client: Client, project: Project) -> None:
    pair = make_pair(project)
    rows = [f"{prompt_id(pair.pk, 'generic')},sour", f"{prompt_id(pair.pk, 'exception')},sour"]
    file = SimpleUploadedFile("a.csv", "\n".join(["prompt,prediction", *rows]).encode())

    client.post(at("upload_model", project), {"name": "mine", "file": file})

    evaluation = Evaluation.objects.get()
    table = body(client.get(at("table", project, "models"))).decode().splitlines()
    assert table[1] == "mine,uploaded,All,1,1,100.0 %,0,1,0.0 %"
    assert "Remove mine" in text_of(client.get(at("statistics", project)))
    client.post(at("remove_model", project, evaluation.pk))
    assert not ModelAnswer.objects.exists()


def test_uploaded_answers_are_replaced_on_a_page_that_says_so(client: Client, project: Project) -> None:
    pair = make_pair(project)

    def send(name: str, *more: int, said: str, kind: str = "generic") -> str:
        lines = f"prompt,prediction\n{prompt_id(pair.pk, kind)},{said}\n"
        file = SimpleUploadedFile("a.csv", lines.encode())
        return text_of(client.post(at(name, project, *more), {"name": "mine", "file": file}, follow=True))

    send("upload_model", said="sour")
    evaluation = Evaluation.objects.get()
    assert "There are answers of mine already." in send("upload_model", said="sweet")
    assert "Replace the answers of mine" in text_of(client.get(at("statistics", project)))
    asked = text_of(client.get(at("replace_model", project, evaluation.pk)))
    assert "This replaces the answers of <strong>mine</strong> for 1 prompt, uploaded" in asked
    assert "Line 2: give both" in send("replace_model", evaluation.pk, said="bitter")
    assert ModelAnswer.objects.get().is_right
    assert "The answers of mine for 1 prompt are counted." in send(
        "replace_model", evaluation.pk, said="sweet"
    )
    assert not ModelAnswer.objects.get().is_right
    asked_model = Evaluation.objects.create(
        project=project, name="bert", rival=make_masked(), way="properly", added_at=evaluation.added_at
    )
    assert client.get(at("replace_model", project, asked_model.pk)).status_code == 404


def test_bad_answers_are_named_and_nothing_is_kept(client: Client, project: Project) -> None:
    make_pair(project)
    file = SimpleUploadedFile("a.csv", b"prompt,prediction\n77-generic,sour\n")

    answer = client.post(at("upload_model", project), {"name": "mine", "file": file})

    assert "Line 2: there is no prompt “77-generic”" in text_of(answer)
    assert not Evaluation.objects.exists()


@pytest.mark.parametrize(
    ("button", "said"),
    [
        ("evaluate", "answers the challenge set"),
        ("read", "reads the nouns"),
        ("score", "scores the exceptions"),
    ],
    ids=["evaluate", "read", "score"],
)
def test_another_model_is_asked(client: Client, project: Project, button: str, said: str) -> None:
    form = {"rival": make_masked("other").pk, "way": "properly", button: ""}

    answer = client.post(at("ask_model", project), form, follow=True)

    assert f"The model other {said}" in text_of(answer)
    assert Evaluation.objects.filter(is_open=True).exists() is (button == "evaluate")
