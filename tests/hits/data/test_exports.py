"""What all families' exports share: pseudonyms above all."""

from uuid import UUID

import pytest
from django.conf import LazySettings

from crowd.winogavil.releases.rows import Naming as ReleaseNaming
from hits.data.exports import Naming, salt_of
from tests.factories import make_study

ANYBODY = UUID(int=1)


@pytest.mark.pure
@pytest.mark.parametrize(
    ("naming", "pseudonym"),
    [
        (Naming(family="whoops", salt="salt"), "w-muz5gi3mfb"),
        (Naming(family="winoground", salt="salt"), "w-wfqp3qs54k"),
        (Naming(family="winoventi", salt="salt"), "w-4kuif77hzm"),
        (ReleaseNaming(salt="salt"), "w-6n4sjkiwhh"),
    ],
    ids=["whoops", "winoground", "winoventi", "release"],
)
def test_pseudonyms_that_were_given_away_stay(settings: LazySettings, naming: Naming, pseudonym: str) -> None:
    settings.PSEUDONYM_KEYS = ["golden"]

    assert naming.person(ANYBODY) == naming.person(ANYBODY) == pseudonym


@pytest.mark.django_db
def test_only_linkable_files_of_a_study_share_their_salt() -> None:
    study = make_study()

    linkable = {salt_of(study, linkable=True) for _ in range(2)}
    others = {salt_of(study, linkable=False) for _ in range(2)}

    assert linkable == {str(study.public_id)}
    assert len(others | linkable) == 3
