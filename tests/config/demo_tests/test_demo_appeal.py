"""The appeal that a demo leaves for the payments staff."""

import pytest

from crowd.demo import acts
from crowd.demo.demo_people import make_cast
from hits.review.models import Appeal
from tests.factories import make_assignment

pytestmark = pytest.mark.django_db


def test_demo_without_approved_work_leaves_no_appeal() -> None:
    cast = make_cast(workers=1, bonus_rules=[])

    assert acts.leave_appeal(cast) is None


def test_demo_leaves_one_open_appeal_that_payments_staff_may_answer() -> None:
    cast = make_cast(workers=1, bonus_rules=[])
    work = make_assignment(status="approved")
    type(work.hit.batch).objects.filter(pk=work.hit.batch_id).update(study=cast.study)

    appeal = acts.leave_appeal(cast)

    assert list(Appeal.objects.values_list("pk", "status")) == [(appeal.pk if appeal else 0, "open")]
    for staff in (cast.preparer, cast.approver):
        assert staff.user.has_perm("hits.answer_appeal")
