"""Perplexities equal those of plain transformers calls, written out here one text at a time."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from scoring import rivals
from scoring.rivals import NotNumbers
from scoring.rivals.causal import MOST_NEW_TOKENS, CausalModel, LooksAhead
from tests.scoring import small_language_models as small

pytestmark = pytest.mark.pure

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
CLOSE = {"cpu": 1e-5, "cuda": 5e-2}
DTYPES = {"cpu": torch.float32, "cuda": torch.float16}
TEXTS = [
    "the apple is red",
    "the car is not sweet and the pepper is hot and red.",
    "the",
    "The hedgehog is edible, Zeke says.",
]
SAVE: dict[str, Callable[[Path], None]] = {
    "with bos": small.save_gpt2,
    "without bos": small.save_gpt2_without_bos,
    "both ends marked": small.save_gpt2_that_marks_both_ends,
}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with small.one_thread():
        yield


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=SAVE)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    SAVE[request.param](tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def gpt2(tmp_path: Path) -> Path:
    small.save_gpt2(tmp_path / "gpt2")
    return tmp_path / "gpt2"


@pytest.fixture
def without_bos(tmp_path: Path) -> Path:
    small.save_gpt2_without_bos(tmp_path / "plain")
    return tmp_path / "plain"


def causal(folder: Path, **options: Any) -> CausalModel:
    return CausalModel(small.spec_of(folder, "causal", **options))


def plain_perplexity(folder: Path, device: str, text: str) -> float:
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=DTYPES[device])
    model.to(device).eval()
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    if tokenizer.bos_token_id is not None:
        ids = [tokenizer.bos_token_id, *ids]
    with torch.no_grad():
        logits = model(torch.tensor([ids], device=device)).logits[0].float()
    logs = [math.log(logits[place - 1].softmax(dim=-1)[ids[place]].item()) for place in range(1, len(ids))]
    return math.exp(-sum(logs) / len(logs))


def test_perplexities_equal_plain_transformers(folder: Path, device: str) -> None:
    found = causal(folder, device=device).perplexities(TEXTS)

    expected = [plain_perplexity(folder, device, text) for text in TEXTS]
    assert found == pytest.approx(expected, rel=CLOSE[device])


def test_perplexities_are_those_of_the_librarys_own_loss(gpt2: Path) -> None:
    model: Any = AutoModelForCausalLM.from_pretrained(gpt2)
    ids = AutoTokenizer.from_pretrained(gpt2)(f"<|endoftext|>{TEXTS[0]}", return_tensors="pt")["input_ids"]

    (found,) = causal(gpt2, device="cpu").perplexities(TEXTS[:1])

    assert found == pytest.approx(math.exp(model(ids, labels=ids).loss.item()), rel=1e-5)


@pytest.mark.parametrize("batch_size", [1, 2, 3])
def test_perplexities_do_not_depend_on_what_stands_beside(folder: Path, device: str, batch_size: int) -> None:
    together = causal(folder, device=device).perplexities(TEXTS)

    apart = causal(folder, device=device, batch_size=batch_size).perplexities(TEXTS[::-1])

    assert apart[::-1] == pytest.approx(together, rel=CLOSE[device])


def test_a_text_of_one_token_counts_after_bos(gpt2: Path) -> None:
    model = causal(gpt2, device="cpu")

    (found,) = model.perplexities(["x"])

    assert len(model._row("x")) == 2
    assert 1 < found < math.inf


def test_a_text_of_one_token_is_refused_without_bos(without_bos: Path) -> None:
    with pytest.raises(ValueError, match="nothing to predict in 'x'; give a text of two words or more"):
        causal(without_bos, device="cpu").perplexities(["the apple", "x"])


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_text_is_refused(folder: Path, text: str) -> None:
    with pytest.raises(ValueError, match="nothing to predict"):
        causal(folder, device="cpu").perplexities([text])


def test_a_text_too_long_is_refused(gpt2: Path) -> None:
    model = causal(gpt2, device="cpu")
    fits = " the" * 23

    assert len(model.perplexities([fits])) == 1
    with pytest.raises(ValueError, match="25 tokens long and small reads 24 at most; shorten it"):
        model.perplexities([f"{fits} the"])


def test_a_special_token_in_a_text_is_read_as_plain_letters(gpt2: Path) -> None:
    model = causal(gpt2, device="cpu")

    assert model._row("the<|endoftext|>").count(0) == 1


def test_no_text_has_no_perplexity(gpt2: Path) -> None:
    assert causal(gpt2, device="cpu").perplexities([]) == []


def test_provenance_tells_what_a_text_begins_with(folder: Path) -> None:
    model = causal(folder, device="cpu")

    assert model.provenance == {
        "rival": "small",
        "kind": "causal",
        "model": "a test's own",
        "weights_sha256": rivals.digest(folder),
        "preprocessing": {
            "reads": "a text",
            "tokenizer": type(AutoTokenizer.from_pretrained(folder)).__name__,
            "architecture": "GPT2LMHeadModel",
            "dtype": "float32",
            "begins_with": AutoTokenizer.from_pretrained(folder).bos_token,
            "perplexity": "exp of the mean negative log likelihood of the tokens after the first",
            "continuation": "greedy, one line of at most 60 tokens",
        },
    }


def test_what_is_no_number_is_never_an_answer(gpt2: Path) -> None:
    model = causal(gpt2, device="cpu")
    model._model.transformer.ln_f.weight.data[0] = math.nan

    with pytest.raises(NotNumbers):
        model.perplexities(TEXTS)


def test_other_weights_than_registered_are_refused(gpt2: Path) -> None:
    spec = replace(small.spec_of(gpt2, "causal"), weights_sha256="0" * 64)

    with pytest.raises(rivals.WeightsChanged):
        CausalModel(spec)


def test_a_model_that_reads_both_ways_is_refused(tmp_path: Path) -> None:
    """The library loads a masked model as a causal one, with only a line in the log."""
    small.save_bert(tmp_path / "bert")

    with pytest.raises(LooksAhead, match="small knows what follows"):
        causal(tmp_path / "bert", device="cpu")


def test_the_registry_loads_it(gpt2: Path) -> None:
    assert isinstance(rivals.load(small.spec_of(gpt2, "causal", device="cpu")), CausalModel)


def plain_continuation(folder: Path, text: str) -> str:
    """The most probable token each time, one text at a time, until its end or a new line."""
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder)
    begin = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
    row = [*begin, *tokenizer(text, add_special_tokens=False)["input_ids"]]
    said: list[int] = []
    while len(said) < MOST_NEW_TOKENS and len(row) + len(said) < 24:
        logits = model(torch.tensor([[*row, *said]])).logits[0, -1]
        said.append(int(logits.argmax()))
        if said[-1] == model.config.eos_token_id:
            break
    words = tokenizer.decode(said, skip_special_tokens=True).strip()
    return words.splitlines()[0].strip() if words else ""


def test_a_continuation_is_that_of_the_text_alone(folder: Path) -> None:
    model = causal(folder, batch_size=2)

    found = model.continuations([*TEXTS[:3], *TEXTS[:1]])

    assert found == [plain_continuation(folder, text) for text in (*TEXTS[:3], *TEXTS[:1])]
    assert any(found)


def test_a_text_that_leaves_no_room_is_refused(gpt2: Path) -> None:
    with pytest.raises(ValueError, match="reads fewer"):
        causal(gpt2).continuations(["the" + " the" * 21])
    with pytest.raises(ValueError, match="nothing to predict"):
        causal(gpt2).continuations([" "])
