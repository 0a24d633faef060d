"""Every table of statistics, and its files, is what it was before."""

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from crowd.winogavil.models import Association
from hits.identity.roles import RESEARCHER
from hits.studies.models import Study
from tests.crowd.winogavil.releases.data import make_final, make_game
from tests.factories import make_study
from tests.goldens import body_of, check_golden, name_workers, told_by
from tests.people import sign_in

pytestmark = pytest.mark.django_db
GOLDEN = Path(__file__).with_name("golden")
TABLES = ("sizes", "thresholds", "shapes", "people", "creators", "solvers", "agreement", "cues", "words")
# Each row of the JSON is put on one line.
ROW = re.compile(r"\n {3,}|\n  (?=})")
FILES = (*(f"{name}.csv" for name in TABLES), "all.json")


def at(study: Study, *more: str) -> str:
    name = "winogavil_releases_statistics_file" if more else "winogavil_releases_statistics"
    return reverse(f"admin:{name}", args=[study.pk, *more])


def masks_of(study: Study) -> dict[str, str]:
    words = Association.objects.filter(item__study=study).values_list("pk", flat=True)
    return {
        str(study.public_id): "STUDY",
        str(study.public_id)[:8]: "STUDY",
        f"/{study.pk}/": "/PK/",
        **{f"/association/{pk}/": "/association/PK/" for pk in words},
    }


def test_statistics_say_what_they_said(client: Client) -> None:
    study, empty = make_study(), make_study()
    make_game(study)
    make_final(empty, picks=[(2, 3)])
    name_workers()
    sign_in(client, RESEARCHER, study, empty)

    page = client.get(at(study))
    files = [body_of(client.get(at(study, name))) for name in FILES]
    nothing = client.get(at(empty))

    check_golden(GOLDEN / "statistics.txt", told_by(page), masks=masks_of(study))
    check_golden(GOLDEN / "statistics_files.txt", ROW.sub(" ", "\n".join(files)), masks=masks_of(study))
    check_golden(GOLDEN / "statistics_empty.txt", told_by(nothing), masks=masks_of(empty))
