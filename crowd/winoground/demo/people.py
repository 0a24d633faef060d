"""Simulated people of caption matching: they look at the picture, read the caption, and are sometimes wrong.

The seed decides how many are wrong about a pair. It does not decide who, because the order in which they
are asked differs from run to run.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from random import Random
from typing import Any

from crowd.demo import scenes, workers
from crowd.demo.browser import Form, Page, Part
from crowd.questions.domain import NO, YES

WRONG, WRONG_OF_HARD = 0.05, 0.3
# The end of a thumbnail's address: thumbnails cannot be told apart exactly, so whole pictures are loaded.
SMALL = "480/"
Pair = tuple[str, str]


class Truth:
    """What each picture of the demo shows, found by its pixels."""

    def __init__(self, world: Mapping[str, Any], *, seed: int) -> None:
        self._seed = seed
        self._matches: dict[Pair, bool] = {}
        self._hard: set[str] = set()
        self._asked: Counter[Pair] = Counter()
        self._seen: dict[str, str] = {}
        for row in world["examples"]:
            for place, scene in enumerate(row["scenes"]):
                seen = scenes.fingerprint(scenes.draw(scene))
                for number, caption in enumerate(row["captions"]):
                    self._matches[seen, caption] = number == place
            self._hard |= set(row["captions"]) if row.get("is_hard") else set()
        for row in world["onboarding"]:
            self._matches[scenes.fingerprint(scenes.draw(row["scene"])), row["caption"]] = row["is_match"]

    def says(self, seen: str, caption: str) -> bool:
        return self._matches[seen, caption]

    def says_somebody(self, seen: str, caption: str) -> bool:
        """What the next worker says who is asked about it."""
        pair = (seen, caption)
        self._asked[pair] += 1
        lot = Random(f"{self._seed}:{seen}:{caption}:{self._asked[pair]}").random()  # noqa: S311
        is_wrong = lot < (WRONG_OF_HARD if caption in self._hard else WRONG)
        return self._matches[pair] != is_wrong

    def remember(self, url: str, content: bytes) -> str:
        return self._seen.setdefault(url, scenes.fingerprint(content))

    def known(self, url: str) -> str:
        return self._seen.get(url, "")


class Reader(workers.SimulatedWorker):
    """A simulated worker. `mistakes` in the test: one is corrected on request, more end the test."""

    def __init__(self, *, number: int, seed: int, invitation: str, truth: Truth, mistakes: int = 0) -> None:
        super().__init__(number=number, seed=seed, invitation=invitation)
        self._truth = truth
        self._mistakes = mistakes
        self._is_tested = False

    def _answer(self, question: Page, form: Form) -> Page:
        if self._is_tested:
            picks = [self._pick(part, self._truth.says_somebody(*self._look(part))) for part in form.parts]
            return self._frame.post(form, picks)
        self._is_tested = True
        return self._take_test(form)

    def _take_test(self, form: Form) -> Page:
        wrong = set(sorted(part.texts("caption")[0] for part in form.parts)[: self._mistakes])
        page = self._frame.post(form, [self._tested(part, wrong) for part in form.parts])
        again = page.form("/answer/")
        if again is None:
            return page
        asked = [part for part in again.parts if part.entries]
        return self._frame.post(again, [self._tested(part, ()) for part in asked])

    def _tested(self, part: Part, wrong: Collection[str]) -> tuple[str, str]:
        seen, caption = self._look(part)
        is_wrong = part.texts("caption")[0] in wrong
        return self._pick(part, self._truth.says(seen, caption) != is_wrong)

    def _pick(self, part: Part, matches: bool) -> tuple[str, str]:
        return part.entries[0].name, YES if matches else NO

    def _look(self, part: Part) -> Pair:
        (caption,) = part.texts("caption")
        url = part.pictures[0].removesuffix(SMALL)
        seen = self._truth.known(url) or self._truth.remember(url, self._frame.download(url))
        return seen, caption.strip("“”")
