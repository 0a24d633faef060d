"""Masked models give the same results as plain transformers calls, written out here prompt by prompt."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForMaskedLM, AutoTokenizer

from scoring import rivals
from scoring.rivals import NotNumbers
from scoring.rivals.masked import MaskedModel, Word, WordProbability
from scoring.rivals.registry import UnknownKind
from tests.scoring import small_language_models as small

pytestmark = pytest.mark.pure

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
# Half precision has eleven bits; a processor's floats differ only by the order of a sum.
CLOSE = {"cpu": 1e-5, "cuda": 2e-2}
DTYPES = {"cpu": torch.float32, "cuda": torch.float16}
GAP = "The apple is [MASK]."
PROMPTS = [
    GAP,
    "The car is not [MASK],",
    "Zeke says that the apple is very very rotten. The apple is [MASK].",
    "[MASK].",
]
WORDS = ["red", "inedible", "cardboard", "hot", "apple"]
# How each family marks its pieces; written out, since the model finds whole words in another way.
MARKS: dict[str, Callable[[str], str | None]] = {
    "bert": lambda token: None if token.startswith(("##", "[")) else token,
    "roberta": lambda token: token[1:] if token.startswith("Ġ") else None,
    "albert": lambda token: token[1:] if token.startswith("▁") else None,
}
SAVE: dict[str, Callable[[Path], None]] = {
    "bert": small.save_bert,
    "roberta": small.save_roberta,
    "albert": small.save_albert,
}


class Plain:
    """The same weights, used by plain transformers calls."""

    def __init__(self, folder: Path, device: str) -> None:
        self.device = device
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.model: Any = AutoModelForMaskedLM.from_pretrained(folder, dtype=DTYPES[device]).to(device).eval()

    def at_masks(self, prompt: str, masks: int = 1) -> list[torch.Tensor]:
        text = prompt.replace("[MASK]", self.tokenizer.mask_token * masks)
        read = self.tokenizer(text, return_tensors="pt").to(self.device)
        with torch.no_grad():
            logits = self.model(**read).logits[0]
        places = (read["input_ids"][0] == self.tokenizer.mask_token_id).nonzero().flatten().tolist()
        assert len(places) == masks
        return [logits[place].float().softmax(dim=-1).cpu() for place in places]

    def pieces(self, word: str) -> list[int]:
        """Split the word into pieces as the tokenizer does in the middle of a sentence."""
        before = self.tokenizer("the apple is", add_special_tokens=False)["input_ids"]
        whole = self.tokenizer(f"the apple is {word}", add_special_tokens=False)["input_ids"]
        assert whole[: len(before)] == before
        found: list[int] = whole[len(before) :]
        return found

    def probability(self, prompt: str, word: str) -> float:
        pieces = self.pieces(word)
        product = 1.0
        for given, piece in zip(self.at_masks(prompt, len(pieces)), pieces, strict=True):
            product *= given[piece].item()
        return float(product ** (1 / len(pieces)))

    def ranked_words(self, prompt: str, text_of: Callable[[str], str | None]) -> list[tuple[str, float]]:
        (given,) = self.at_masks(prompt)
        found = []
        for token, place in self.tokenizer.get_vocab().items():
            text = text_of(token)
            if text is not None and len(text) > 1:
                found.append((text, given[place].item()))
        return sorted(found, key=lambda entry: -entry[1])


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with small.one_thread():
        yield


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=sorted(SAVE))
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(family: str, tmp_path: Path) -> Path:
    SAVE[family](tmp_path / family)
    return tmp_path / family


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    small.save_bert(tmp_path / "bert")
    return tmp_path / "bert"


@pytest.fixture
def roberta(tmp_path: Path) -> Path:
    small.save_roberta(tmp_path / "roberta")
    return tmp_path / "roberta"


def masked(folder: Path, **options: Any) -> MaskedModel:
    return MaskedModel(small.spec_of(folder, "masked", **options))


def about(value: float, rel: float = 1e-5) -> Any:
    """Approximate value; typed as Any, because it is used in the place of a number."""
    return pytest.approx(value, rel=rel)


def numbers(found: list[list[WordProbability]]) -> list[float]:
    return [one.probability for row in found for one in row]


def count_rows(model: MaskedModel) -> list[int]:
    """Collect the number of rows in each pass from now on."""
    seen: list[int] = []
    model._model.register_forward_pre_hook(
        lambda _, __, given: seen.append(len(given["input_ids"])), with_kwargs=True
    )
    return seen


def test_top_words_equal_plain_transformers(folder: Path, family: str, device: str) -> None:
    plain = Plain(folder, device)

    found = masked(folder, device=device).top_words(PROMPTS, k=5)

    expected = [plain.ranked_words(prompt, MARKS[family])[:5] for prompt in PROMPTS]
    if device == "cpu":  # halves may tie where plain ranking has another order
        assert [[word.text for word in row] for row in found] == [
            [text for text, _ in row] for row in expected
        ]
    assert [word.probability for row in found for word in row] == pytest.approx(
        [probability for row in expected for _, probability in row], rel=CLOSE[device]
    )


def test_probabilities_equal_plain_transformers(folder: Path, device: str) -> None:
    plain = Plain(folder, device)

    found = masked(folder, device=device).probabilities([(prompt, WORDS) for prompt in PROMPTS])

    expected = [plain.probability(prompt, word) for prompt in PROMPTS for word in WORDS]
    assert numbers(found) == pytest.approx(expected, rel=CLOSE[device])
    assert [one.pieces for one in found[0]] == [len(plain.pieces(word)) for word in WORDS]
    assert [one.way for one in found[0]] == ["single", "pieces", "pieces", "single", "single"]


def test_probabilities_of_pieces_are_their_geometric_mean(bert: Path) -> None:
    plain = Plain(bert, "cpu")
    vocabulary = plain.tokenizer.get_vocab()
    first, second, third = plain.at_masks(GAP, 3)

    ((found,),) = masked(bert, device="cpu").probabilities([(GAP, ["cardboard"])])

    product = first[vocabulary["card"]] * second[vocabulary["##bo"]] * third[vocabulary["##ard"]]
    assert found == WordProbability(
        word="cardboard",
        probability=about(product.item() ** (1 / 3)),
        pieces=3,
        way="pieces",
    )


def test_probabilities_of_many_small_pieces_do_not_vanish(roberta: Path) -> None:
    word = "hedgehogs" * 2

    model = masked(roberta, device="cpu")
    model._model.lm_head.decoder.weight.data *= 30
    ((found,),) = model.probabilities([(GAP, [word])])

    assert found.pieces > 15
    assert 0 < found.probability < 1e-9


def test_probabilities_as_one_token_compare_the_unknown(folder: Path, device: str) -> None:
    plain = Plain(folder, device)
    (given,) = plain.at_masks(GAP)
    unknown = given[plain.tokenizer.unk_token_id].item()

    (found,) = masked(folder, device=device).probabilities([(GAP, WORDS)], as_one_token=True)

    assert [one.way for one in found] == ["one token", "unknown", "unknown", "one token", "one token"]
    assert [one.pieces for one in found] == [len(plain.pieces(word)) for word in WORDS]
    assert [one.probability for one in found] == pytest.approx(
        [given[plain.pieces(one)[0]].item() if len(plain.pieces(one)) == 1 else unknown for one in WORDS],
        rel=CLOSE[device],
    )


@pytest.mark.parametrize("as_one_token", [False, True])
def test_probabilities_of_an_unknown_word_say_so(bert: Path, *, as_one_token: bool) -> None:
    unknown = Plain(bert, "cpu").at_masks(GAP)[0][1].item()

    ((found,),) = masked(bert, device="cpu").probabilities([(GAP, ["hedgehog"])], as_one_token=as_one_token)

    assert found == WordProbability(word="hedgehog", probability=about(unknown), pieces=1, way="unknown")


def test_probabilities_read_a_word_trimmed_and_as_the_tokenizer_normalises_it(bert: Path) -> None:
    (found,) = masked(bert, device="cpu").probabilities([(GAP, ["red", "  red\n", "Red"])])

    assert [one.word for one in found] == ["red", "red", "Red"]
    assert len({one.probability for one in found}) == 1


def test_probabilities_read_a_special_token_as_plain_letters(roberta: Path) -> None:
    ((found,),) = masked(roberta, device="cpu").probabilities([(GAP, ["<mask>"])])

    assert (found.way, found.pieces > 1) == ("pieces", True)


def test_a_word_after_a_byte_level_blank_is_another_token_than_without(roberta: Path) -> None:
    vocabulary = AutoTokenizer.from_pretrained(roberta).get_vocab()
    (given,) = Plain(roberta, "cpu").at_masks(GAP)

    ((found,),) = masked(roberta, device="cpu").probabilities([(GAP, ["red"])])

    assert found.probability == about(given[vocabulary["Ġred"]].item())


def test_a_mask_that_leaves_the_blank_says_the_same(roberta: Path, tmp_path: Path) -> None:
    small.save_roberta(tmp_path / "other", mask_takes_blank=False)
    questions = [(GAP, WORDS)]

    found = masked(tmp_path / "other", device="cpu").probabilities(questions)

    assert found == masked(roberta, device="cpu").probabilities(questions)


def test_top_words_are_whole_words_of_two_characters_or_more(bert: Path) -> None:
    small.add_words_that_are_none(bert)

    (found,) = masked(bert, device="cpu").top_words([GAP], k=18)

    assert sorted(word.text for word in found) == sorted(
        one for one in small.WORDPIECES if one[0] not in "#[" and len(one) > 1
    )


def test_top_words_score_the_same_when_asked_for(folder: Path) -> None:
    model = masked(folder, device="cpu")

    (top,) = model.top_words([GAP], k=4)
    (scored,) = model.probabilities([(GAP, [word.text for word in top])])

    assert [one.way for one in scored] == ["single"] * 4
    assert [one.probability for one in scored] == pytest.approx([one.probability for one in top], rel=1e-5)


def test_top_words_tie_in_the_vocabularys_order(bert: Path, device: str) -> None:
    model = masked(bert, device=device)
    for parameter in model._model.parameters():
        parameter.data.zero_()

    found = model.top_words([GAP], k=4)

    even = about(1 / len(small.WORDPIECES), rel=1e-3)
    assert found == [[Word(text=text, probability=even) for text in ("the", "is", "not", "apple")]]


def test_answers_come_in_the_order_asked(bert: Path) -> None:
    model = masked(bert, device="cpu")
    questions = [(prompt, WORDS) for prompt in PROMPTS]

    assert model.top_words(PROMPTS[::-1], k=3) == model.top_words(PROMPTS, k=3)[::-1]
    assert model.probabilities(questions[::-1]) == model.probabilities(questions)[::-1]
    assert model.probabilities([(GAP, WORDS[::-1])]) == [model.probabilities([(GAP, WORDS)])[0][::-1]]


@pytest.mark.parametrize("batch_size", [1, 2, 3])
def test_answers_do_not_depend_on_what_stands_beside(folder: Path, device: str, batch_size: int) -> None:
    questions = [(prompt, WORDS) for prompt in PROMPTS]
    together = masked(folder, device=device)
    apart = masked(folder, device=device, batch_size=batch_size)

    assert numbers(together.probabilities(questions)) == pytest.approx(
        numbers(apart.probabilities(questions)), rel=CLOSE[device]
    )
    for prompt, row in zip(PROMPTS, together.top_words(PROMPTS, k=3), strict=True):
        (alone,) = apart.top_words([prompt], k=3)
        assert [one.probability for one in row] == pytest.approx(
            [one.probability for one in alone], rel=CLOSE[device]
        )


def test_one_pass_serves_words_of_as_many_pieces(bert: Path) -> None:
    model = masked(bert, device="cpu", batch_size=2)
    rows = count_rows(model)

    model.probabilities([(GAP, WORDS), (GAP, ["sweet", "red"]), (PROMPTS[1], ["red"])])

    # Two prompts with one mask; the first one also with two and with three.
    assert rows == [2, 2]


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ("The apple is red.", r"holds \[MASK\] exactly once"),
        ("The [MASK] is [MASK].", r"holds \[MASK\] exactly once"),
        ("The apple [SEP] is [MASK].", "no special token"),
        ("The apple is " + "very " * 30 + "[MASK].", "37 tokens long and small reads 24 at most; shorten it"),
    ],
)
def test_a_prompt_that_cannot_be_read_is_refused_before_any_pass(
    bert: Path, prompt: str, message: str
) -> None:
    model = masked(bert, device="cpu")
    rows = count_rows(model)

    with pytest.raises(ValueError, match=message):
        model.top_words([GAP, prompt], k=1)
    with pytest.raises(ValueError, match=message):
        model.probabilities([(GAP, ["red"]), (prompt, ["red"])])

    assert rows == []


def test_the_tokenizers_own_mask_is_no_second_gap(roberta: Path) -> None:
    with pytest.raises(ValueError, match="no special token"):
        masked(roberta, device="cpu").top_words(["The <mask> is [MASK]."], k=1)


def test_the_longest_prompt_is_read(folder: Path) -> None:
    model = masked(folder, device="cpu")
    room = model._most_tokens - len(model._row("[MASK]", masks=1))
    word = "the"

    ((found,),) = model.probabilities([(f"[MASK]{f' {word}' * room}", ["red"])])
    with pytest.raises(ValueError, match="shorten it"):
        model.probabilities([(f"[MASK]{f' {word}' * (room + 1)}", ["red"])])

    assert 0 < found.probability < 1


def test_masks_of_a_long_word_count_towards_the_length(bert: Path) -> None:
    model = masked(bert, device="cpu")
    prompt = f"{'very ' * 21}[MASK]"

    with pytest.raises(ValueError, match="25 tokens long"):
        model.probabilities([(prompt, ["red", "inedible"])])


@pytest.mark.parametrize("word", ["", "  "])
def test_an_empty_word_is_refused(bert: Path, word: str) -> None:
    with pytest.raises(ValueError, match="give a word"):
        masked(bert, device="cpu").probabilities([(GAP, [word])])


@pytest.mark.parametrize("k", [0, 19])
def test_top_words_refuse_more_than_there_are(bert: Path, k: int) -> None:
    with pytest.raises(ValueError, match="k must be from 1 to 18"):
        masked(bert, device="cpu").top_words([GAP], k=k)


def test_nothing_asked_is_nothing_answered(bert: Path) -> None:
    model = masked(bert, device="cpu")

    assert model.top_words([], k=1) == []
    assert model.probabilities([]) == []
    assert model.probabilities([(GAP, [])]) == [[]]


def test_provenance_names_weights_and_everything_that_decides(roberta: Path) -> None:
    model = masked(roberta, device="cpu")

    assert model.provenance == {
        "rival": "small",
        "kind": "masked",
        "model": "a test's own",
        "weights_sha256": rivals.digest(roberta),
        "preprocessing": {
            "reads": "a prompt with one [MASK]",
            "tokenizer": "RobertaTokenizer",
            "architecture": "RobertaForMaskedLM",
            "dtype": "float32",
            "mask": "<mask>",
            "word": " {word}",
            "normalisation": "geometric mean over the pieces, one mask for each, in one pass",
        },
    }
    assert model.device == "cpu"


def test_a_dtype_of_ones_own_is_taken_and_recorded(bert: Path) -> None:
    model = masked(bert, device="cpu", dtype="bfloat16")

    assert model.preprocessing["dtype"] == "bfloat16"
    assert model._model.dtype == torch.bfloat16
    assert numbers(model.probabilities([(GAP, WORDS)])) == pytest.approx(
        numbers(masked(bert, device="cpu").probabilities([(GAP, WORDS)])), rel=0.3
    )


def test_an_unknown_dtype_is_refused(bert: Path) -> None:
    with pytest.raises(ValueError, match="Take one of float32, float16, bfloat16"):
        masked(bert, device="cpu", dtype="int7")


def test_what_is_no_number_is_never_an_answer(bert: Path) -> None:
    model = masked(bert, device="cpu")
    model._model.cls.predictions.decoder.weight.data[9] = math.nan

    with pytest.raises(NotNumbers, match="small computes no numbers in float32"):
        model.probabilities([(GAP, ["red"])])


def test_other_weights_than_registered_are_refused(bert: Path) -> None:
    spec = replace(small.spec_of(bert, "masked"), weights_sha256="0" * 64)

    with pytest.raises(rivals.WeightsChanged, match="not the ones it was registered with"):
        MaskedModel(spec)


def test_weights_without_a_head_are_refused(bert: Path) -> None:
    file = bert / "model.safetensors"
    kept = {name: value for name, value in load_file(file).items() if not name.startswith("cls")}
    save_file(kept, file, metadata={"format": "pt"})

    with pytest.raises(rivals.WeightsMissing, match=r"no masked language model: they lack cls\.predictions"):
        masked(bert, device="cpu")


def test_the_registry_loads_it_once_and_never_as_one_that_sees(bert: Path) -> None:
    spec = small.spec_of(bert, "masked", device="cpu")

    assert rivals.load(spec) is rivals.load(spec)
    assert isinstance(rivals.load(spec), MaskedModel)
    with pytest.raises(UnknownKind, match="scores no pictures"):
        rivals.load_scorer(spec)
