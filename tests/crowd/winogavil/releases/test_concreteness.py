"""Concreteness of cues from an uploaded list: the paper's Figure 11 and correlations, counted by hand."""

from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crowd.winogavil.releases.admin.statistics import tables_of_study
from crowd.winogavil.releases.files.concreteness_files import MOST_BYTES
from crowd.winogavil.releases.models import ConcretenessList
from crowd.winogavil.releases.services.concreteness_lists import keep_list
from hits.core.errors import InvalidItems
from hits.core.models.audit_events import AuditEvent
from hits.datasets.stat_table import StatTable
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.studies.models import Study
from tests.crowd.winogavil.releases.data import LONG_AGO, make_final
from tests.factories import NOW, make_study, make_user
from tests.hits.calling import Notebook
from tests.pages import text_of
from tests.people import make_member, sign_in

pytestmark = pytest.mark.django_db
LIST = "word,rating\nTree,5\nbanana,4.9\nhope,1.25\nidea,1.5\nold,3\n"
RIGHT, HALF, WRONG = [(0, 1)] * 3, [(0, 2)] * 3, [(2, 3)] * 3


def at(study: Study, name: str = "") -> str:
    if not name:
        return reverse("admin:winogavil_releases_statistics", args=[study.pk])
    return reverse("admin:winogavil_releases_statistics_file", args=[study.pk, name])


def form_of(study: Study) -> str:
    return reverse("admin:winogavil_releases_concreteness", args=[study.pk])


def file_of(content: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("list.csv", content.encode() if isinstance(content, str) else content)


def make_cues(study: Study) -> None:
    """Six final ones. Of the rated ones, solvers reach 1, 1, 1/3, 0 and 1, the model 1, 1/3, 0 and 1/3."""
    for cue, picks, predicted in (
        ("tree", RIGHT, (0, 1)),
        ("TREE", RIGHT, None),
        ("banana", HALF, (0, 2)),
        ("hope", WRONG, (2, 3)),
        ("idea", RIGHT, (0, 2)),
        ("zyzzyva", RIGHT, (0, 1)),
    ):
        make_final(study, cue=cue, picks=picks, predicted=predicted, now=LONG_AGO)


def keep(study: Study, content: str = LIST) -> ConcretenessList:
    return keep_list(study=study, file=BytesIO(content.encode()), by=make_user(), now=NOW)


def tables(study: Study) -> dict[str, StatTable]:
    return {table.name: table for table in tables_of_study(study=study, now=timezone.now())}


@pytest.fixture
def study() -> Study:
    study = make_study()
    make_cues(study)
    return study


def test_cues_are_counted_by_their_concreteness_with_people_and_model(study: Study) -> None:
    keep(study)

    rows = list(tables(study)["concreteness"].as_json())

    told = {
        (row["from"], row["to"]): (row["cues"], row["associations"], row["human"], row["model"])
        for row in rows if row["associations"]
    }  # fmt: skip
    assert len(rows) == 9
    assert told == {
        (1, 1.5): (0, 1, 0, 0),  # hope, which nobody solves: it is not selected
        (1.5, 2): (1, 1, 100, 33),  # idea
        (4.5, 5): (1, 3, 77.8, 66.5),  # tree and TREE, the same word; banana is not selected
        (None, None): (1, 1, 100, 100),  # zyzzyva
    }
    assert (
        "2 of 3 different cues of selected associations are in the list."
        in tables(study)["concreteness"].about
    )


def test_the_correlations_are_those_of_the_textbook(study: Study) -> None:
    keep(study)

    people, model = tables(study)["correlations"].as_json()

    # By hand: ratings 5, 5, 4.9, 1.25, 1.5 and Jaccard indices 1, 1, 1/3, 0, 1.
    from scipy.stats import pearsonr  # noqa: PLC0415 - slow to load

    expected = pearsonr([5, 5, 4.9, 1.25, 1.5], [1, 1, 1 / 3, 0, 1])
    assert (people["whose"], people["associations"]) == ("people", 5)
    assert people["r"] == pytest.approx(expected.statistic, abs=1e-6)
    assert people["p"] == pytest.approx(expected.pvalue, abs=1e-6)
    expected = pearsonr([5, 4.9, 1.25, 1.5], [1, 0.33, 0, 0.33])
    assert (model["whose"], model["associations"]) == ("model", 4)
    assert model["r"] == pytest.approx(expected.statistic, abs=1e-6)
    assert model["p"] == pytest.approx(expected.pvalue, abs=1e-6)


def test_too_few_cues_of_the_list_have_no_correlation(study: Study) -> None:
    keep(study, "word,rating\nhope,2\nidea,3\n")

    assert [(row["associations"], row["r"], row["p"]) for row in tables(study)["correlations"].as_json()] == [
        (2, None, None),
        (2, None, None),
    ]


def test_a_list_takes_the_place_of_the_one_before_and_figures_follow_at_once(study: Study) -> None:
    keep(study)
    assert list(tables(study)["concreteness"].as_json())[-1]["cues"] == 1

    keep(study, "word,rating\nzyzzyva,2\n")

    assert ConcretenessList.objects.get().ratings == {"zyzzyva": 2}
    rows = {row["from"]: row["cues"] for row in tables(study)["concreteness"].as_json()}
    assert (rows[2.0], rows[None]) == (1, 2)
    assert AuditEvent.objects.filter(kind="concreteness.uploaded").count() == 2


def test_another_study_has_a_list_of_its_own(study: Study) -> None:
    other = make_study()
    make_cues(other)
    keep(other)

    assert list(tables(study)["concreteness"].as_json()) == []
    assert "There is no concreteness list" in tables(study)["concreteness"].empty


def test_the_file_of_the_published_ratings_is_read_as_it_is(study: Study) -> None:
    kept = keep(
        study, "Word\tBigram\tConc.M\tConc.SD\nroadsweeper\t0\t4.85\t0.37\ntraindriver\t0\t4.54\t0.71\n"
    )

    assert kept.ratings == {"roadsweeper": 4.85, "traindriver": 4.54}


def test_every_wrong_line_is_named_and_nothing_is_kept(study: Study) -> None:
    keep(study)

    with pytest.raises(InvalidItems) as refusal:
        keep(study, "word,rating\ntree,5\nTREE,4\nhope,0.5\n,3\nidea,many\nold,5.01\nnew,\nfine,2\n")

    assert refusal.value.problems == [
        "Line 3: tree is in line 2 already.",
        "Line 4: rating must be from 1 (abstract) to 5 (concrete).",
        "Line 5: word must not be empty.",
        "Line 6: rating is “many”, which is not a finite number.",
        "Line 7: rating must be from 1 (abstract) to 5 (concrete).",
        "Line 8: rating must not be empty.",
    ]
    assert ConcretenessList.objects.get().words == 5


def test_a_list_is_uploaded_from_the_page_and_shown_with_its_charts(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER, study)
    before = text_of(client.get(at(study)))
    form = text_of(client.get(form_of(study)))

    refused = text_of(client.post(form_of(study), {"file": file_of("word,rating\ntree,9\n")}))
    done = text_of(client.post(form_of(study), {"file": file_of(LIST)}, follow=True))

    assert "Upload a concreteness list…" in before
    assert "There is no concreteness list." in before
    assert "<code>rating</code>" in form
    assert "Line 2: rating must be from 1 (abstract) to 5 (concrete)." in refused
    assert "The ratings of 5 words are kept." in done
    assert "Replace the concreteness list…" in done
    assert "Different cues by their concreteness" in done
    assert "Mean Jaccard index by the concreteness of the cue" in done
    assert "4.5 to 5" in done


def test_the_tables_are_files_and_answers_of_the_api(client: Client, study: Study) -> None:
    keep(study)
    sign_in(client, RESEARCHER, study)

    lines = b"".join(client.get(at(study, "concreteness.csv")).streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    related = b"".join(client.get(at(study, "correlations.csv")).streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    held = Notebook(make_member(RESEARCHER, study))
    told = held.get("statistics/", study=str(study.public_id), family="winogavil").json()["results"]

    assert lines[0] == "\ufefffrom,to,cues,associations,human,model"
    assert lines[2] == "1.5,2.0,1,1,100.0,33.0"
    assert related[0] == "\ufeffwhose,associations,r,p"
    assert {"concreteness", "correlations"} <= {table["name"] for table in told}


def test_a_list_is_brought_by_the_api(study: Study) -> None:
    held = Notebook(make_member(RESEARCHER, study))
    address = f"association-games/{study.public_id}/concreteness/"

    kept = held.upload(address, file_of(LIST))
    refused = held.upload(address, file_of("word,rating\ntree,9\n"))

    assert (kept.status_code, kept.json()["words"]) == (201, 5)
    assert refused.status_code == 400
    assert "Line 2: rating must be from 1" in refused.content.decode()
    assert ConcretenessList.objects.get().words == 5


def test_who_may_look_may_not_bring_a_list(client: Client, study: Study) -> None:
    sign_in(client, REVIEWER, study)
    held = Notebook(make_member(REVIEWER, study))

    page = text_of(client.get(at(study)))

    assert "concreteness list…" not in page
    assert client.get(form_of(study)).status_code == 403
    assert client.post(form_of(study), {"file": file_of(LIST)}).status_code == 403
    assert held.upload(f"association-games/{study.public_id}/concreteness/", file_of(LIST)).status_code == 403
    assert not ConcretenessList.objects.exists()


def test_a_study_of_others_is_not_there(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER, make_study())

    assert client.post(form_of(study), {"file": file_of(LIST)}).status_code == 404
    assert not ConcretenessList.objects.exists()


def test_a_file_that_is_too_large_is_refused(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER, study)

    page = text_of(client.post(form_of(study), {"file": file_of(b"x" * (MOST_BYTES + 1))}))

    assert "A file has at most 8 MB." in page


def test_charts_are_drawn_for_a_paper(study: Study, tmp_path: Any) -> None:
    pytest.importorskip("vl_convert")
    keep(study)

    call_command("draw_figures", "winogavil", "--study", study.name, "--out", str(tmp_path))

    drawn = {path.name for path in tmp_path.iterdir()}
    assert {"concreteness-cues.svg", "concreteness-scores.svg"} <= drawn
