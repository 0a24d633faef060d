"""The pages of releases and statistics: who sees them, what they say, and that refusals change nothing."""

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.benchmarks.models import Result
from crowd.releases.models import Release
from crowd.releases.services import release_states
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import OPERATOR, PAYMENTS_APPROVER, PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from hits.studies.models import Study
from tests.crowd.winogavil.releases.data import benchmark_of, make_final, people
from tests.factories import NOW, make_study, make_user
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
# An instant before the machine's own clock, which the page reads.
LONG_AGO = NOW - timedelta(days=3_650)
LIST = "admin:releases_release_changelist"
PAGE = "admin:releases_release_change"

# Addresses that only releases of the game have.
OF_THE_GAME = ("statistics", "statistics_file", "statistics_changelist")


def make(study: Study, *, version: str = "1.0", ready: bool = True, **changes: Any) -> Release:
    values = {"title": "Words", "licence": "CC0", "sources": ["worker"], "by": make_user(), "now": NOW}
    release = release_states.make_release(
        family="winogavil", study=study, version=version, **{**values, **changes}
    )
    if ready:
        release_states.write_releases(clock=lambda: NOW)
        release.refresh_from_db()
    return release


def at(name: str, *args: Any) -> str:
    app = "winogavil_releases" if name in OF_THE_GAME else "releases"
    return reverse(f"admin:{app}_{name}", args=args)


def test_researcher_makes_a_release_and_watches_it(client: Client) -> None:
    study = make_study(name="Snow")
    make_final(study, now=LONG_AGO)
    user = sign_in(client, RESEARCHER, study)

    chosen = text_of(client.get(at("choose")))
    asked = client.post(
        at("make", study.pk, "winogavil"),
        {
            "title": "Words",
            "version": "1.0",
            "licence": "CC BY 4.0",
            "sources": ["worker", "file"],
            "selection_threshold": "80",
        },
    )
    (release,) = Release.objects.all()
    page = text_of(client.get(asked["Location"]))

    assert at("make", study.pk, "winogavil") in chosen
    assert (release.made_by, release.sources, release.linkable) == (user, ["file", "worker"], False)
    assert "Reading the rows" in page
    assert 'data-every="2000"' in page
    release_states.write_releases(clock=lambda: NOW)
    page = text_of(client.get(asked["Location"]))
    assert 'data-every="0"' in page
    assert "associations.parquet" in page
    assert "Find the pictures that a word was meant for" in page
    assert "no model yet" in page


def test_players_are_part_of_it_only_by_choice(client: Client) -> None:
    study = make_study()
    make_final(study, source="player")
    sign_in(client, RESEARCHER, study)

    page = client.get(at("make", study.pk, "winogavil")).context["form"]

    assert page["sources"].value() == ["file", "worker", "recorded"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": "1 0"}, "A version is letters"),
        ({"version": ""}, "This field is required"),
        ({"sources": []}, "This field is required"),
        ({"sources": ["player"]}, "nothing to release"),
        ({"sources": ["stranger"]}, "not one of the available choices"),
        ({"version": "taken"}, "There is a version taken"),
    ],
    ids=["odd version", "no version", "no sources", "nothing", "unknown source", "taken"],
)
def test_release_that_cannot_be_made_says_why(client: Client, changes: Any, words: str) -> None:
    study = make_study()
    make_final(study, now=LONG_AGO)
    make(study, version="taken", ready=False)
    sign_in(client, RESEARCHER, study)

    page = client.post(
        at("make", study.pk, "winogavil"),
        {
            "title": "Words",
            "version": "1.0",
            "licence": "x",
            "sources": ["worker"],
            "selection_threshold": "80",
            **changes,
        },
    )

    assert page.status_code == 200
    assert words in text_of(page)
    assert [release.version for release in Release.objects.all()] == ["taken"]


def test_file_is_taken_and_that_is_on_record(client: Client) -> None:
    study = make_study()
    make_final(study, cue="snow")
    release = make(study)
    user = sign_in(client, RESEARCHER, study)

    answer: Any = client.get(at("file", release.pk, "associations.jsonl"))

    assert json.loads(b"".join(answer.streaming_content))["cue"] == "snow"
    assert answer["Content-Disposition"] == 'attachment; filename="words-1.0-associations.jsonl"'
    event = AuditEvent.objects.get(kind="release.taken")
    assert (event.by, event.study, event.words) == (
        user,
        study,
        "associations.jsonl of release 1.0 was taken.",
    )


@pytest.mark.parametrize("name", ["full.jsonl.part", "..", "secret", "%2e%2e", "README.md%00"])
def test_nothing_but_its_files_is_given(client: Client, name: str) -> None:
    study = make_study()
    make_final(study)
    release = make(study)
    (release.folder / "secret").write_text("secret")
    sign_in(client, RESEARCHER, study)

    answer = client.get(f"/admin/releases/release/{release.pk}/files/{name}")

    assert answer.status_code in (400, 404)
    assert AuditEvent.objects.filter(kind="release.taken").count() == 0


def test_files_of_a_release_in_the_making_are_not_given(client: Client) -> None:
    study = make_study()
    make_final(study)
    release = make(study, ready=False)
    sign_in(client, RESEARCHER, study)

    assert client.get(at("file", release.pk, "full.jsonl")).status_code == 404


def test_publishing_and_deleting_ask_first(client: Client) -> None:
    study = make_study()
    make_final(study)
    first, second = make(study), make(study, version="2.0")
    sign_in(client, RESEARCHER, study)

    assert "cannot be deleted" in text_of(client.get(at("publish", first.pk)))
    assert "cannot be undone" in text_of(client.get(at("remove", second.pk)))
    assert Release.objects.filter(status="ready").count() == 2
    client.post(at("publish", first.pk))
    client.post(at("remove", second.pk))
    refused = text_of(client.post(at("remove", first.pk), follow=True))

    (left,) = Release.objects.all()
    assert (left.pk, left.status) == (first.pk, "released")
    assert "A published release is never deleted" in refused


def every_page(release: Release) -> list[tuple[str, str]]:
    study, pk = release.study_id, release.pk
    return [
        ("get", reverse(PAGE, args=[pk])),
        ("get", at("file", pk, "full.jsonl")),
        ("get", reverse("admin:benchmarks_open", args=[pk, "associations"])),
        ("get", at("publish", pk)),
        ("post", at("publish", pk)),
        ("get", at("remove", pk)),
        ("post", at("remove", pk)),
        ("post", at("again", pk)),
        ("get", at("make", study, "winogavil")),
        ("post", at("make", study, "winogavil")),
        ("get", at("statistics", study)),
        ("get", at("statistics_file", study, "sizes.csv")),
        ("get", at("statistics_file", study, "all.json")),
    ]


def test_study_of_others_is_not_there(client: Client) -> None:
    study = make_study(name="Theirs")
    make_final(study)
    release = make(study)
    sign_in(client, RESEARCHER, make_study())

    codes = {address: getattr(client, verb)(address).status_code for verb, address in every_page(release)}

    assert set(codes.values()) == {404}, codes
    for address in (reverse(LIST), at("choose"), at("statistics_changelist")):
        assert "Theirs" not in text_of(client.get(address))
    release.refresh_from_db()
    assert release.status == "ready"


@pytest.mark.parametrize("role", [PAYMENTS_PREPARER, PAYMENTS_APPROVER])
def test_who_pays_sees_nothing_of_the_data(client: Client, role: str) -> None:
    study = make_study()
    make_final(study)
    release = make(study)
    sign_in(client, role, study)

    codes = {address: getattr(client, verb)(address).status_code for verb, address in every_page(release)}

    assert set(codes.values()) == {403}, codes
    assert client.get(reverse(LIST)).status_code == 403
    assert Release.objects.filter(status="ready").count() == 1


def test_deletion_stands_last_among_what_is_to_do(client: Client) -> None:
    study = make_study()
    make_final(study)
    release = make(study)
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(reverse(PAGE, args=[release.pk])))

    assert re.findall("Publish…|Delete…", unescape(page)) == ["Publish…", "Delete…"]


def test_reviewer_looks_and_takes_nothing(client: Client) -> None:
    study = make_study()
    make_final(study)
    release = make(study)
    sign_in(client, REVIEWER, study)

    page = text_of(client.get(reverse(PAGE, args=[release.pk])))
    codes = {
        f"{verb} {address}": getattr(client, verb)(address).status_code
        for verb, address in every_page(release)
    }

    assert "You may look at releases, but not download their files" in page
    assert "Publish…" not in page
    seen = {name for name, code in codes.items() if code in (200, 302)}
    assert seen == {
        f"get {reverse('admin:benchmarks_open', args=[release.pk, 'associations'])}",
        f"get {reverse(PAGE, args=[release.pk])}",
        f"get {at('statistics', study.pk)}",
        f"get {at('statistics_file', study.pk, 'sizes.csv')}",
        f"get {at('statistics_file', study.pk, 'all.json')}",
    }
    assert {code for name, code in codes.items() if name not in seen} == {403}
    assert AuditEvent.objects.filter(kind="release.taken").count() == 0


def test_operator_sees_every_study(client: Client) -> None:
    study = make_study()
    make_final(study)
    release = make(study)
    sign_in(client, OPERATOR)

    assert client.get(reverse(PAGE, args=[release.pk])).status_code == 200
    assert "Words" in text_of(client.get(reverse(LIST)))


def test_stranger_signs_in_first(client: Client) -> None:
    study = make_study()
    make_final(study)
    release = make(study)

    codes = {getattr(client, verb)(address).status_code for verb, address in every_page(release)}

    assert codes == {302}


def test_list_is_empty_in_words(client: Client) -> None:
    sign_in(client, RESEARCHER)

    assert "A release is the data of a study at one moment" in text_of(client.get(reverse(LIST)))
    assert "You see the studies that you belong to" in text_of(client.get(at("statistics_changelist")))


def test_predictions_are_uploaded_and_every_bad_line_is_shown(client: Client) -> None:
    study = make_study()
    one = make_final(study, concepts=["moon", "puppy", "cup", "key", "<b>tree</b>"])
    benchmark = benchmark_of(make(study))
    sign_in(client, RESEARCHER, study)
    name = str(one.item.public_id)

    def upload(picks: list[str]) -> Any:
        line = json.dumps({"ID": name, "prediction": picks}).encode()
        return client.post(
            reverse("admin:benchmarks_upload", args=[benchmark.pk]),
            {"name": "CLIP", "file": SimpleUploadedFile("p.jsonl", line)},
        )

    bad = text_of(upload(["moon", "<i>sun</i>"]))
    assert "Nothing was stored." in bad
    assert "&lt;i&gt;sun&lt;/i&gt;" in bad
    assert not Result.objects.filter(source="uploaded").exists()

    assert upload(["moon", "cup"]).status_code == 302

    result = Result.objects.get(source="uploaded")
    page = text_of(client.get(reverse("admin:benchmarks_benchmark", args=[benchmark.pk])))
    cells = "".join(f'<td class="number">{words}</td>' for words in (1, "–", "33.3", "33.3"))
    assert f'<a href="{reverse("admin:benchmarks_result", args=[result.pk])}">CLIP</a></th>{cells}' in page
    file: Any = client.get(reverse("admin:benchmarks_file", args=[benchmark.pk, "by-data"]))
    csv = b"".join(file.streaming_content).decode("utf-8-sig")
    assert csv.splitlines()[:2] == ["model,associations,10 & 12,5 & 6,all", "CLIP,1,,33.3,33.3"]
    client.post(reverse("admin:benchmarks_remove", args=[result.pk]), {"confirmed": "yes"})
    assert not Result.objects.filter(source="uploaded").exists()


def test_large_upload_is_read_from_the_disk(client: Client, settings: LazySettings) -> None:
    study = make_study()
    one = make_final(study)
    benchmark = benchmark_of(make(study))
    sign_in(client, RESEARCHER, study)
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    line = json.dumps({"ID": str(one.item.public_id), "scores": [1, 1, 0, 0, 0]}).encode()

    client.post(
        reverse("admin:benchmarks_upload", args=[benchmark.pk]),
        {"name": "CLIP", "file": SimpleUploadedFile("p.jsonl", line)},
    )

    assert Result.objects.get(source="uploaded").answered == 1


def test_associations_without_an_answer_of_the_model_are_counted_on_the_page(client: Client) -> None:
    study = make_study()
    make_final(study)
    make_final(study, predicted=None)
    release = make(study)
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(reverse(PAGE, args=[release.pk])))

    assert "1 selected association had no answer of the model yet" in page


def test_failed_release_says_what_to_mend_and_is_tried_again(client: Client) -> None:
    study = make_study()
    make_final(study)
    release = make(study, ready=False)
    Release.objects.update(status="failed", problem="The files cannot be written: No space left on device.")
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(reverse(PAGE, args=[release.pk])))
    client.post(at("again", release.pk))

    assert "No space left on device. <strong>Correct that, then try again.</strong>" in page
    release.refresh_from_db()
    assert (release.status, release.problem) == ("freezing", "")


def test_statistics_page_shows_every_table_and_chart(client: Client) -> None:
    study = make_study()
    make_final(study, author=people(1)[0], cue="<script>x")
    make_final(study, author=people(1)[0], size=10, chosen=(0, 1, 2), picks=[(0, 1, 2)] * 3)
    sign_in(client, RESEARCHER, study)

    answer = client.get(at("statistics", study.pk))

    page = text_of(answer)
    charts = {chart.name: chart for table in answer.context["tables"] for chart in table.charts}
    for words in (
        "Collected, by the number of candidates",
        "Creators",
        "Solvers",
        "Agreement",
        "chart-shapes",
    ):
        assert words in page
    assert [len(charts[name].spec["data"]["values"]) for name in ("5_6", "10_12")] == [1, 1]
    assert 'id="chart-5_6"' in page
    assert 'id="chart-10_12"' in page
    assert "<script>x" not in page
    assert "style=" not in page.partition('<div class="page figures">')[2].partition("</main>")[0]


def test_statistics_files_hold_what_the_page_shows(client: Client) -> None:
    study = make_study()
    make_final(study, author=people(1)[0])
    make_final(study, source="player", predicted=None)
    sign_in(client, RESEARCHER, study)

    answer: Any = client.get(at("statistics_file", study.pk, "sizes.csv") + "?source=worker")
    everything = json.loads(client.get(at("statistics_file", study.pk, "all.json")).content)

    lines = b"".join(answer.streaming_content).decode().removeprefix("\ufeff").splitlines()
    assert lines[0] == "candidates,made,final,selected,model,human,random"
    assert lines[1] == "5 & 6,1,1,1,33.0,100.0,30.0"
    assert everything["tables"]["sizes"][0]["made"] == 2
    for name in ("sizes.json", "nothing.csv", "all.csv", "sizes"):
        assert client.get(at("statistics_file", study.pk, name)).status_code == 404


def test_pages_ask_as_often_for_much_as_for_little(client: Client) -> None:
    study = make_study()
    make_final(study, author=people(1)[0])
    release = make(study)
    sign_in(client, RESEARCHER, study)
    addresses = [
        reverse(LIST),
        reverse(PAGE, args=[release.pk]),
        at("statistics", study.pk),
        at("statistics_changelist"),
    ]

    def asked() -> list[int]:
        found = []
        for address in addresses:
            client.get(address)
            with CaptureQueriesContext(connection) as queries:
                assert client.get(address).status_code == 200
            found.append(len(queries))
        return found

    few = asked()
    for number in range(4):
        make_final(study, author=people(1)[0])
        make(study, version=f"2.{number}")
    many = asked()

    assert many == few
    assert max(many) <= 12  # one of them for the scatter of words
