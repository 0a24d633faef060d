import pytest

from tests.scoring.fakes import FakeRival, use_fakes


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)
