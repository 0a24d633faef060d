from collections.abc import Callable
from typing import NamedTuple, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import text_metrics

pytestmark = pytest.mark.pure
Images = list[tuple[str, list[str]]]


class Texts(TypedDict):
    candidates: list[str]
    references: list[list[str]]


class Figures(NamedTuple):
    bleu: float
    cider: float


class WeirdImage(NamedTuple):
    candidate: str
    references: list[str]
    figures: Figures


# pycocoevalcap 1.2: Bleu(4).compute_score and Cider().compute_score on these captions, each split by
# text_metrics.tokens and joined by spaces (its PTBTokenizer splits all 48 the same). ALL is what they give
# for the corpus, the figures of an image what they give for it as one of the eight.
ALL = Figures(0.3414475976798374, 1.1820245143308588)
WEIRD_IMAGES = [
    WeirdImage(
        "A goldfish is driving a red sports car.",
        [
            "A goldfish is driving a red sports car.",
            "A fish sits behind the wheel of a car.",
            "An orange fish steers a sports car down the road.",
            "A goldfish in a bowl drives a convertible.",
            "A small fish is at the wheel of a red car.",
        ],
        Figures(0.9999999997163694, 2.762564330113353),
    ),
    WeirdImage(
        "A man is ironing his shirt on the back of a crocodile",
        [
            "A man irons a shirt on a crocodile's back.",
            "Somebody is ironing clothes on the back of a live crocodile.",
            "A crocodile is used as an ironing board by a man!",
            "The man's ironing board is a crocodile",
            "An alligator lies still while a man irons his shirt on it.",
        ],
        Figures(0.519307177774763, 2.3304481766417213),
    ),
    WeirdImage(
        "a penguin sunbathing in the desert",
        [
            "A penguin sunbathes on a dune in the desert.",
            "A penguin is sunbathing in the desert under a palm tree",
            "A penguin lies on a towel in the sand",
            "Penguins don't live in the desert, but this one does.",
            "A lone penguin is standing on top of a sand dune",
        ],
        Figures(0.3665113624515326, 1.7379545336673508),
    ),
    WeirdImage(
        "There is a candle burning under water in the fish tank, next to the fish, and it is still burning.",
        [
            "A lit candle burns under water.",
            "A candle is burning in a fish tank",
            "A flame burns at the bottom of an aquarium",
            "The candle doesn't go out, although it is under water.",
            "A candle stands in a tank full of fish and is burning brightly",
        ],
        Figures(4.7660825127926585e-09, 0.2695389033519395),
    ),
    WeirdImage(
        "A medieval knight",
        [
            "A medieval knight is talking on a cell phone.",
            "A knight in full armor looks at his smartphone",
            "A knight uses a cell-phone in front of a castle",
            "The knight's phone is ringing, and he answers it.",
            "Someone in armor is on the phone",
        ],
        Figures(0.00833567340487775, 0.7129450787877557),
    ),
    WeirdImage(
        "A snowman and a snowman and a snowman and a beach",
        [
            "A snowman is lying on a sunny beach",
            "A snowman in sunglasses relaxes on the beach.",
            "A snowman doesn't melt in the sun",
            "There is a snowman beneath a palm tree",
            "A snowman sits on a beach chair by the sea.",
        ],
        Figures(5.637560314657452e-09, 0.679770697276644),
    ),
    WeirdImage(
        "Two people are playing tennis in a stadium",
        [
            "Chess pieces are as tall as the two players.",
            "A grandmaster moves a pawn with a forklift",
            "Giant chess pieces tower over two people",
            "Two people are playing chess with pieces as large as trucks.",
            "The black-and-white board fills a parking lot",
        ],
        Figures(0.36555522275082986, 0.962974394808106),
    ),
    WeirdImage(
        "...",
        [
            "A wolf howls at a light bulb instead of the moon",
            "The moon has been replaced by a light bulb.",
            "A wolf is howling at a light bulb in the sky.",
            "A giant light bulb shines over a howling wolf",
            "A light-bulb hangs where the moon should be",
        ],
        Figures(0.0, 0.0),
    ),
]

WEIRD_TEXTS: Texts = {
    "candidates": [image.candidate for image in WEIRD_IMAGES],
    "references": [image.references for image in WEIRD_IMAGES],
}
words = st.sampled_from(("a", "man's", "cat", "sits", "on", "3.5", "black-and-white", "hats", "..."))
captions = st.lists(words, max_size=9).map(" ".join)
long_captions = captions.filter(lambda caption: len(text_metrics.tokens(caption)) >= 4)
images = st.lists(st.tuples(captions, st.lists(captions, min_size=1, max_size=3)), min_size=1, max_size=6)


def close_to(value: float | list[float]) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-14)


def texts_of(shown: Images) -> Texts:
    return {"candidates": [image[0] for image in shown], "references": [image[1] for image in shown]}


def test_bleu_equals_that_of_the_reference_implementation() -> None:
    together = text_metrics.corpus_bleu(**WEIRD_TEXTS)
    alone = text_metrics.caption_bleus(**WEIRD_TEXTS)

    assert together == close_to(ALL.bleu)
    assert alone == close_to([image.figures.bleu for image in WEIRD_IMAGES])


def test_cider_equals_that_of_the_reference_implementation() -> None:
    mean = text_metrics.cider(**WEIRD_TEXTS)
    by_image = text_metrics.image_ciders(**WEIRD_TEXTS)

    assert mean == close_to(ALL.cider)
    assert by_image == close_to([image.figures.cider for image in WEIRD_IMAGES])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A man's hand doesn't touch the dogs' tails!", "a man 's hand does n't touch the dogs tails"),
        ("We’re “here” – and they've left…", "we 're here and they 've left"),
        ("Black-and-white, 3.5 m, 1,000 at 10:30.", "black-and-white 3.5 m 1,000 at 10:30"),
        ("well...done -- (sic)?!", "well done sic"),
        ("I cannot see a/b of the U.S. for $5", "i cannot see a b of the u s for 5"),
        ("...", ""),
    ],
)
def test_tokens_are_lower_case_without_punctuation(text: str, found: str) -> None:
    assert text_metrics.tokens(text) == found.split()


@given(st.text(alphabet="anst'’.,:-?! 15É_") | st.text())
def test_tokens_of_tokens_are_the_same(text: str) -> None:
    found = text_metrics.tokens(text)

    assert text_metrics.tokens(" ".join(found)) == found


@given(images)
def test_scores_keep_their_bounds(shown: Images) -> None:
    bleus = [text_metrics.corpus_bleu(**texts_of(shown)), *text_metrics.caption_bleus(**texts_of(shown))]
    ciders = [text_metrics.cider(**texts_of(shown)), *text_metrics.image_ciders(**texts_of(shown))]

    assert all(0 <= bleu <= 1 for bleu in bleus)
    assert all(0 <= cider <= 10 + 1e-9 for cider in ciders)


@given(images, st.data())
def test_order_of_images_does_not_matter(shown: Images, data: st.DataObject) -> None:
    mixed = data.draw(st.permutations(shown))

    bleus = [text_metrics.corpus_bleu(**texts_of(one)) for one in (shown, mixed)]
    ciders = [text_metrics.cider(**texts_of(one)) for one in (shown, mixed)]

    assert bleus[0] == bleus[1]
    assert ciders[0] == close_to(ciders[1])


@given(images, st.data())
def test_order_of_references_does_not_matter(shown: Images, data: st.DataObject) -> None:
    mixed = [(candidate, data.draw(st.permutations(texts))) for candidate, texts in shown]

    bleus = [text_metrics.caption_bleus(**texts_of(one)) for one in (shown, mixed)]
    ciders = [text_metrics.image_ciders(**texts_of(one)) for one in (shown, mixed)]

    assert bleus[0] == bleus[1]
    assert ciders[0] == close_to(ciders[1])


@given(long_captions, st.lists(captions, max_size=3))
def test_bleu_of_a_reference_is_one(caption: str, others: list[str]) -> None:
    bleu = text_metrics.corpus_bleu(candidates=[caption.upper()], references=[[*others, caption]])

    assert bleu == pytest.approx(1, abs=1e-8)


def test_bleu_of_a_short_caption_stays_near_zero() -> None:
    (bleu,) = text_metrics.caption_bleus(candidates=["a blue dog"], references=[["a blue dog"]])

    assert 0 < bleu < 0.05


def test_cider_of_the_only_reference_is_ten() -> None:
    references = [["a fish drives a car"], ["two dogs play grand chess"]]

    ciders = text_metrics.image_ciders(candidates=["A fish drives a car.", "a car"], references=references)

    assert ciders == close_to([10, 0])


@given(images.map(lambda shown: shown[:1]))
def test_cider_of_one_image_is_zero(shown: Images) -> None:
    assert text_metrics.image_ciders(**texts_of(shown)) == [0]


@pytest.mark.parametrize("empty", ["", " \n", "?!"])
def test_empty_candidate_scores_zero(empty: str) -> None:
    texts: Texts = {
        "candidates": [empty, "two dogs play chess"],
        "references": [["a fish drives a car"], ["two dogs play chess"]],
    }

    assert text_metrics.caption_bleus(**texts)[0] == 0
    assert text_metrics.image_ciders(**texts)[0] == 0
    assert not text_metrics.exact_matches(**texts)[0]


@pytest.mark.parametrize(
    "metric",
    [
        text_metrics.corpus_bleu,
        text_metrics.caption_bleus,
        text_metrics.cider,
        text_metrics.image_ciders,
        text_metrics.exact_matches,
    ],
)
@pytest.mark.parametrize(
    ("candidates", "references", "told"),
    [
        ([], [], "no candidates"),
        (["a cat", "a dog"], [["a cat"]], "there are 2 and 1"),
        (["a cat", "a dog"], [["a cat"], []], "Candidate 2 has no references"),
    ],
)
def test_missing_texts_are_refused(
    metric: Callable[..., object], candidates: list[str], references: list[list[str]], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        metric(candidates=candidates, references=references)


def test_answers_match_any_of_their_references_exactly() -> None:
    matches = text_metrics.exact_matches(
        candidates=["The red car.", "a goldfish", "cat"],
        references=[["car", "red  car"], ["Goldfish!", "fish"], ["cats", "a black cat"]],
    )

    assert matches == [True, True, False]


@pytest.mark.parametrize(
    ("answer", "normalized"),
    [
        ("  The   Black-and-White\tcat!", "black and white cat"),
        ("It doesn’t, an owl's", "it doesnt owls"),
        ("1,000.5 U.S. dollars (or $5, 50%)", "1000.5 us dollars or $5 50%"),
        ("Two", "two"),
        ("A", "a"),
        ("?!", "?!"),
    ],
)
def test_normalized_answers_lack_case_articles_and_marks(answer: str, normalized: str) -> None:
    assert text_metrics.normalize_answer(answer) == normalized


@given(st.text(alphabet="anthe'.,- 15É_$") | st.text())
def test_normalized_answers_stay_the_same(text: str) -> None:
    normalized = text_metrics.normalize_answer(text)

    assert text_metrics.normalize_answer(normalized) == normalized
