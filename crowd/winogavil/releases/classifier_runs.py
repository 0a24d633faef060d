"""One run of the classifier on frozen vectors: what it learns from, what it is tested on, and its answers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from math import ceil
from typing import Any

import numpy as np

from crowd.benchmarks.benchmark_tasks import Answer, ReleasedItem
from crowd.benchmarks.training_recipes import Measured, Parts, Run, Step, TrainingJob
from crowd.winogavil.releases.classifier_recipe import VALIDATION
from crowd.winogavil.releases.domain import GROUPS
from crowd.winogavil.releases.origins import BASELINE
from hits.core.errors import CrowdError
from scoring import rivals
from scoring.domain import best
from scoring.services.embedding import picture_vectors, prompt_vectors
from scoring.services.model_loading import LoadedRival, code_version, load_rival
from scoring.services.picture_places import captions_of
from scoring.services.training_models import PairClassifier

AT_ONCE = 64
# Pairs that are scored together.
SCORED_AT_ONCE = 8_192
READING = "Reading vectors"
Places = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """An item in numbers: the places of its word and candidates among the vectors, and what was chosen."""

    name: str
    size: int
    cue: int
    pictures: Places
    chosen: rivals.Vectors
    is_hidden: bool

    @property
    def k(self) -> int:
        return int(self.chosen.sum())


@dataclass(frozen=True, kw_only=True)
class Division:
    """The items of each part, and the pairs to learn from as places of words and of pictures."""

    tests: Mapping[str, Sequence[Association]]
    texts: Places
    pictures: Places
    labels: rivals.Vectors


class FrozenVectors:
    """Vectors by the keys of what they are of, each once."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._rows: list[rivals.Vectors] = []

    def add(self, keys: Sequence[str], vectors: rivals.Vectors) -> list[int]:
        """Keep those that are new; return the place of each."""
        for key, vector in zip(keys, vectors, strict=True):
            if key not in self._places:
                self._places[key] = len(self._rows)
                self._rows.append(vector.copy())  # a view would keep its whole batch
        return [self._places[key] for key in keys]

    def table(self) -> rivals.Vectors:
        return np.stack(self._rows).astype(np.float32)


def run(job: TrainingJob) -> Run:
    """Read the vectors, divide the items, and train; every answer is the places of the best candidates."""
    loaded = load_rival(job.rival)
    words, shown = FrozenVectors(), FrozenVectors()
    items: list[Association] = []
    unread, rows = 0, (item for item in job.items() if item.row["source"] != BASELINE)
    while some := list(islice(rows, AT_ONCE)):
        found = _read(loaded, some, words, shown)
        items += found
        unread += len(some) - len(found)
        yield Step(done=len(items), of=0, doing=READING)
    division = divide(items, seed=job.seed, share=int(job.settings["test_share"]))
    texts, pictures = words.table(), shown.table()
    counts = {
        "pairs": len(division.labels),
        "pairs that belong": int(division.labels.sum()),
        **{name: len(some) for name, some in division.tests.items()},
        **({"associations that could not be read": unread} if unread else {}),
    }
    tests = {name: [one.name for one in some] for name, some in division.tests.items()}
    yield Parts(tests=tests, counts=counts)
    tested = [one for some in division.tests.values() for one in some]
    yield Measured(epoch=0, answers=_untrained(tested, texts, pictures))
    yield from _train(job, division, tested, texts, pictures)
    return {**loaded.model.provenance, "device": "cpu", "code_version": code_version()}


def divide(items: Sequence[Association], *, seed: int, share: int) -> Division:
    """Draw items for testing and validation by the seed, and leave pairs without any of their pictures.

    Raises CrowdError if nothing is left to learn from, or to be tested on.
    """
    groups: defaultdict[str, list[Association]] = defaultdict(list)
    for one in sorted(items, key=lambda one: (sha256(f"{seed} {one.name}".encode()).digest(), one.name)):
        groups[_group_of(one)].append(one)
    tests = {name: groups[name][: len(groups[name]) * share // 100] for name in GROUPS}
    drawn = {one.name for some in tests.values() for one in some}
    seen = _pictures_of(one for some in tests.values() for one in some)
    validation = [
        one
        for some in groups.values()
        for one in _apart([one for one in some if one.name not in drawn], seen, most=len(some) * share // 100)
    ]
    away = seen | _pictures_of(validation)
    held = drawn | {one.name for one in validation}
    others = [one for one in items if one.name not in held and not one.is_hidden]
    pairs = [
        (one.cue, picture, label)
        for one in others
        for picture, label in zip(one.pictures.tolist(), one.chosen.tolist(), strict=True)
        if picture not in away
    ]
    if not drawn or not pairs:
        raise CrowdError(
            f"Of {len(items)} associations, {len(drawn)} are for testing at {share} per cent, and "
            f"{len(pairs)} pairs without their pictures are left to learn from. Collect more, or take "
            "another share."
        )
    return Division(
        tests={**{name: some for name, some in tests.items() if some}, VALIDATION: validation},
        texts=np.array([cue for cue, _, _ in pairs], dtype=np.int64),
        pictures=np.array([picture for _, picture, _ in pairs], dtype=np.int64),
        labels=np.array([label for _, _, label in pairs], dtype=np.float32),
    )


def _read(
    loaded: LoadedRival, items: Sequence[ReleasedItem], words: FrozenVectors, shown: FrozenVectors
) -> list[Association]:
    """Return the items with the places of their vectors, without those that the model cannot read."""
    captions = captions_of([one["sha256"] for item in items for one in item.row["pictures"]])
    prompts = [loaded.model.prompt(item.row["cue"]) for item in items]
    pictures = [_as_rivals_see(one, captions) for item in items for one in item.row["pictures"]]
    try:
        cues = words.add(prompts, prompt_vectors(loaded, prompts))
        vectors = picture_vectors(loaded, pictures)
    except (rivals.UnreadablePicture, ValueError):
        if len(items) == 1:
            return []
        return [one for item in items for one in _read(loaded, [item], words, shown)]
    places = iter(shown.add([one.sha256 or one.caption for one in pictures], vectors))
    return [
        Association(
            name=item.name,
            size=item.row["num_candidates"],
            cue=cue,
            pictures=np.array([next(places) for _ in item.row["pictures"]], dtype=np.int64),
            chosen=np.array([one["chosen"] for one in item.row["pictures"]], dtype=np.float32),
            is_hidden=item.is_hidden,
        )
        for item, cue in zip(items, cues, strict=True)
    ]


def _as_rivals_see(one: Mapping[str, Any], captions: Mapping[str, str]) -> rivals.Picture:
    caption = captions.get(one["sha256"], "") or one["name"]
    return rivals.Picture(sha256=one["sha256"], path="", caption=caption)


def _group_of(one: Association) -> str:
    return next((name for name, sizes in GROUPS.items() if one.size in sizes), "")


def _pictures_of(items: Iterable[Association]) -> set[int]:
    return {picture for one in items for picture in one.pictures.tolist()}


def _apart(items: Sequence[Association], seen: set[int], *, most: int) -> Iterator[Association]:
    """Yield the first items that have no picture of these, and are of no hidden split."""
    apart = (one for one in items if not one.is_hidden and seen.isdisjoint(one.pictures.tolist()))
    return islice(apart, most)


def _untrained(
    items: Sequence[Association], texts: rivals.Vectors, pictures: rivals.Vectors
) -> Mapping[str, Answer]:
    return _picked(items, lambda cues, shown: rivals.cosines(texts[cues], pictures[shown]))


def _train(
    job: TrainingJob,
    division: Division,
    tested: Sequence[Association],
    texts: rivals.Vectors,
    pictures: rivals.Vectors,
) -> Iterator[Step | Measured]:
    """Train epoch by epoch; in each the pairs have another order, which follows from the seed."""
    epochs, size, count = (
        int(job.settings["epochs"]), int(job.settings["batch_size"]), len(division.labels)
    )  # fmt: skip
    width = texts.shape[1] + pictures.shape[1]
    classifier = PairClassifier(width, seed=job.seed, learning_rate=job.settings["learning_rate"])
    steps, done = epochs * ceil(count / size), 0
    for epoch in range(epochs):
        order = np.random.default_rng([job.seed, epoch]).permutation(count)
        for start in range(0, count, size):
            batch = order[start : start + size]
            classifier.learn(
                texts[division.texts[batch]], pictures[division.pictures[batch]], division.labels[batch]
            )
            done += 1
            yield Step(done=done, of=steps, doing=f"Epoch {epoch + 1} of {epochs}")
        answers = _picked(tested, lambda cues, shown: classifier.scores(texts[cues], pictures[shown]))
        yield Measured(epoch=epoch + 1, answers=answers)


def _picked(items: Sequence[Association], score: Any) -> dict[str, Answer]:
    """Return the places of the best candidates of each item; pairs are scored many at once."""
    cues = np.concatenate([np.full(len(one.pictures), one.cue) for one in items])
    shown = np.concatenate([one.pictures for one in items])
    found = (
        value
        for start in range(0, len(cues), SCORED_AT_ONCE)
        for value in score(cues[start : start + SCORED_AT_ONCE], shown[start : start + SCORED_AT_ONCE])
    )
    return {one.name: sorted(best(list(islice(found, len(one.pictures))), k=one.k)) for one in items}
