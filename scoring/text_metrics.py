"""The figures by which the literature compares texts of models with texts of people.

BLEU-4 and CIDEr-D equal those of pycocoevalcap 1.2 for the same tokens; a caption's score lies between 0 and
1 for BLEU, and between 0 and 10 for CIDEr. The literature prints either times 100.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

SIZES = range(1, 5)
# COCO's constants: no division by zero, and BLEU is never quite 0 where only some sizes match.
TINY, SMALL = 1e-15, 1e-9
SIGMA = 6.0
TOKEN = re.compile(
    r"""
    \w+?(?=n't\b) | n't\b     # does, n't
    | '(?:s|m|d|re|ve|ll)\b   # 's
    | \w+(?:-\w+|[.,:]\d+)*   # black-and-white, 3.5, 1,000, 10:30
    """,
    re.VERBOSE,
)
# Marks that leave no gap: don't, U.S., 1,000. All others become a gap, but for a few symbols.
INNER_MARKS = re.compile(r"['’]|\.(?!\d)|(?<=\d),(?=\d)")
MARKS = re.compile(r"[^\w\s.$%&#]|_")
ARTICLES = frozenset(("a", "an", "the"))

Ngram = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """What BLEU adds up over captions; lists are by size of n-gram, `matched` being clipped."""

    length: int
    closest_length: int
    matched: list[int]
    possible: list[int]


@dataclass(frozen=True, kw_only=True)
class Vector:
    """A caption for CIDEr. COCO takes its number of bigrams for its length."""

    weights: dict[Ngram, float]
    norms: list[float]
    bigrams: int


def tokens(text: str) -> list[str]:
    """Split as PTB does, but symbols, brackets, "!!", the marks of u.s., a/b, '90s go; cannot is one."""
    return TOKEN.findall(text.lower().replace("’", "'"))


def corpus_bleu(*, candidates: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """BLEU-4 of all captions together: counts are added up before they are divided."""
    return _bleu(_overlaps(candidates, references))


def caption_bleus(*, candidates: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
    """BLEU-4 of each caption alone; one of fewer than four tokens stays near 0 even if it is right."""
    return [_bleu([overlap]) for overlap in _overlaps(candidates, references)]


def cider(*, candidates: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """The mean of CIDEr-D over the images."""
    return fmean(image_ciders(candidates=candidates, references=references))


def image_ciders(*, candidates: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
    """CIDEr-D by image. What all images' references say weighs nothing, so one image alone scores 0."""
    _check_shape(candidates, references)
    counted = [[_ngrams(tokens(text)) for text in texts] for texts in references]
    frequencies = Counter(ngram for texts in counted for ngram in set[Ngram]().union(*texts))
    scores = []
    for candidate, texts in zip(candidates, counted, strict=True):
        vector = _vector(_ngrams(tokens(candidate)), frequencies=frequencies, images=len(counted))
        others = (_vector(text, frequencies=frequencies, images=len(counted)) for text in texts)
        scores.append(10 * fmean(_similarity(vector, other) for other in others))
    return scores


def exact_matches(*, candidates: Sequence[str], references: Sequence[Sequence[str]]) -> list[bool]:
    """Whether each answer equals one of its references after normalization."""
    _check_shape(candidates, references)
    return [
        normalize_answer(candidate) in map(normalize_answer, texts)
        for candidate, texts in zip(candidates, references, strict=True)
    ]


def normalize_answer(text: str) -> str:
    """Drop case, marks and articles as VQA does, apostrophes too; number words, or articles alone, stay."""
    text = text.lower()
    words = MARKS.sub(" ", INNER_MARKS.sub("", text)).split()
    return " ".join(word for word in words if word not in ARTICLES) or " ".join(text.split())


def _check_shape(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    if not candidates:
        raise ValueError("There are no candidates to score.")
    if len(candidates) != len(references):
        raise ValueError(
            f"Each candidate needs its references; there are {len(candidates)} and {len(references)}."
        )
    for number, texts in enumerate(references, start=1):
        if not texts:
            raise ValueError(f"Candidate {number} has no references; give at least one, or leave it out.")


def _ngrams(words: Sequence[str]) -> Counter[Ngram]:
    return Counter(
        tuple(words[start : start + size]) for size in SIZES for start in range(len(words) - size + 1)
    )


def _by_size(ngrams: Counter[Ngram]) -> list[int]:
    counts = Counter[int]()
    for ngram, count in ngrams.items():
        counts[len(ngram)] += count
    return [counts[size] for size in SIZES]


def _overlaps(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> list[Overlap]:
    _check_shape(candidates, references)
    return [
        _overlap(tokens(candidate), [tokens(text) for text in texts])
        for candidate, texts in zip(candidates, references, strict=True)
    ]


def _overlap(candidate: Sequence[str], references: Sequence[Sequence[str]]) -> Overlap:
    """Compare a caption with its references; the shorter of two lengths as close is the closest."""
    ngrams = _ngrams(candidate)
    most = Counter[Ngram]()
    for reference in references:
        most |= _ngrams(reference)
    lengths = (len(reference) for reference in references)
    return Overlap(
        length=len(candidate),
        closest_length=min(lengths, key=lambda length: (abs(length - len(candidate)), length)),
        matched=_by_size(ngrams & most),
        possible=_by_size(ngrams),
    )


def _bleu(overlaps: Sequence[Overlap]) -> float:
    matched = _sums(overlap.matched for overlap in overlaps)
    possible = _sums(overlap.possible for overlap in overlaps)
    precision = math.prod(
        (right + TINY) / (given + SMALL) for right, given in zip(matched, possible, strict=True)
    )
    length = sum(overlap.length for overlap in overlaps)
    closest = sum(overlap.closest_length for overlap in overlaps)
    ratio = (length + TINY) / (closest + SMALL)
    brevity = math.exp(min(0.0, 1 - 1 / ratio))
    return brevity * precision ** (1 / len(SIZES))


def _sums(lists: Iterable[list[int]]) -> list[int]:
    return [sum(column) for column in zip(*lists, strict=True)]


def _vector(ngrams: Counter[Ngram], *, frequencies: Mapping[Ngram, int], images: int) -> Vector:
    """Weigh n-grams by how few images' references have them; an unknown one counts as one image's."""
    weights: dict[Ngram, float] = {}
    squares = dict.fromkeys(SIZES, 0.0)
    for ngram, count in ngrams.items():
        weight = count * math.log(images / frequencies.get(ngram, 1))
        weights[ngram] = weight
        squares[len(ngram)] += weight**2
    norms = [math.sqrt(squares[size]) for size in SIZES]
    return Vector(weights=weights, norms=norms, bigrams=_by_size(ngrams)[1])


def _similarity(candidate: Vector, reference: Vector) -> float:
    """The mean of four cosines, each with a candidate's weight no larger than the reference's."""
    products = dict.fromkeys(SIZES, 0.0)
    for ngram in candidate.weights.keys() & reference.weights.keys():
        weight = reference.weights[ngram]
        products[len(ngram)] += min(candidate.weights[ngram], weight) * weight
    norms = (left * right for left, right in zip(candidate.norms, reference.norms, strict=True))
    cosines = [
        product / norm if norm else 0.0 for product, norm in zip(products.values(), norms, strict=True)
    ]
    nearness = math.exp(-((candidate.bigrams - reference.bigrams) ** 2) / (2 * SIGMA**2))
    return nearness * fmean(cosines)
