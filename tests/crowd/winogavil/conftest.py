import pytest

from hits.studies.models import Study
from tests.factories import make_study


@pytest.fixture
def study() -> Study:
    """A study with the rules of any new one."""
    return make_study()
