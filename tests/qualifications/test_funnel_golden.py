"""The funnel's tables and its file say what they said before all tables were made in one place."""

from pathlib import Path

import pytest

from qualifications.models import Gate
from tests.factories import make_study
from tests.goldens import body_of, check_golden, told_by
from tests.qualifications.gates import toys  # noqa: F401 - a fixture
from tests.qualifications.test_funnel import fill
from tests.qualifications.test_gate_admin import at, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
GOLDEN = Path(__file__).with_name("golden")


def test_funnel_says_what_it_said() -> None:
    study = make_study()
    fill(study)
    client = signed_in(study)
    masks = {f"/{study.pk}/": "/PK/", str(study.public_id)[:8]: "STUDY"}
    masks |= {f"/gate/{one.pk}/": "/gate/PK/" for one in Gate.objects.all()}

    page = client.get(at("funnel", study.pk), {"period": "all"})
    file = client.get(at("funnel_file", study.pk), {"period": "all"})

    check_golden(GOLDEN / "funnel.txt", told_by(page), masks=masks)
    check_golden(GOLDEN / "funnel_file.txt", body_of(file), masks=masks)
