import pytest

from hits.studies.models import Study
from tests.factories import make_study


@pytest.fixture
def study() -> Study:
    """One whose rules are those of any new one."""
    return make_study()
