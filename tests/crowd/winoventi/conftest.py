from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def trained_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train the model once for all tests of a run, and return the weights folder that contains it."""
    from tests.crowd.winoventi.trained import save_trained  # noqa: PLC0415 - torch, where it is wanted

    home = tmp_path_factory.mktemp("weights")
    save_trained(home / "trained")
    return home
