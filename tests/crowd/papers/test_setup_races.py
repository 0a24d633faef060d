"""Colleagues who set up a study as in a paper at one instant: each figure is put in place once."""

import pytest

from crowd import family
from crowd.papers.models import PaperSetup
from crowd.papers.services.paper_setup import set_up
from hits.core.models.audit_events import AuditEvent
from hits.studies.models import StartingTerms
from qualifications.models import Gate
from tests.crowd.papers.test_paper_setup import offered, paper_of
from tests.factories import NOW, make_study, make_user
from tests.races import all_at_once

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 4


@pytest.mark.parametrize("key", ["winogavil", "winoventi", "winoground", "whoops"])
def test_several_set_ups_at_once_are_one_set_up(key: str) -> None:
    study = make_study(bonus_rules=[])
    values, by, paper = offered(study, key), make_user(), paper_of(key)

    changes = all_at_once(
        *[lambda: set_up(study=study, family=family.get(key), paper=paper, values=values, by=by, now=NOW)]
        * AT_ONCE
    )

    assert [bool(one) for one in sorted(changes, key=len)] == [False] * (AT_ONCE - 1) + [True]
    assert Gate.objects.filter(study=study).count() == len(paper.gates)
    assert StartingTerms.objects.filter(study=study).exists()
    assert (PaperSetup.objects.count(), AuditEvent.objects.filter(kind="study.paper").count()) == (1, 1)
