"""Simulated people of weird images: they look at the picture, and the seed decides what they make of it."""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from crowd.demo import scenes, workers
from crowd.demo.browser import Form, Page, Part
from crowd.questions.domain import NO, YES
from hits.core.errors import CrowdError

SMALL = "480/"
# Shares of judgements that are wrong.
WRONG, WRONG_OF_CAPTIONS = 0.05, 0.15
NONE = "none"
CARELESS = "This is really very strange."
SAID = (
    "{explanation}",
    "Everybody knows it: {explanation}",
    "It goes against what we know. {explanation}",
    "Look again! {explanation}",
    "That cannot be. {explanation}",
)
Fields = list[tuple[str, str]]
Row = Mapping[str, Any]


class Truth:
    """What each picture of the demo shows, found by its pixels; and how often it was asked about."""

    def __init__(self, world: Mapping[str, Any], *, seed: int) -> None:
        self._seed = seed
        self._rows: dict[str, tuple[Row, str]] = {}
        self._seen: dict[str, str] = {}
        self._asked: Counter[str] = Counter()
        for row in world["images"]:
            self._know(row, "weird", row["scene"])
            self._know(row, "normal", row["normal_scene"])
            if "first_try" in row:
                self._know(row, "plain", row["first_try"]["scene"])
        for row in world["training"]:
            self._know(row, "training", row["scene"])

    def find(self, seen: str) -> tuple[Row, str]:
        return self._rows[seen]

    def is_wrong(self, *about: str, share: float) -> bool:
        """Whether the next answer about it is wrong, whichever worker gives it."""
        key = ":".join(about)
        self._asked[key] += 1
        return Random(f"{self._seed}:{key}:{self._asked[key]}").random() < share  # noqa: S311

    def next_words(self, row: Row) -> str:
        """Return the explanation in other words than the last ones."""
        self._asked[row["caption"]] += 1
        return SAID[(self._asked[row["caption"]] - 1) % len(SAID)].format(explanation=row["explanation"])

    def remember(self, url: str, content: bytes) -> str:
        return self._seen.setdefault(url, scenes.fingerprint(content))

    def known(self, url: str) -> str:
        return self._seen.get(url, "")

    def _know(self, row: Row, kind: str, scene: scenes.Scene) -> None:
        self._rows[scenes.fingerprint(scenes.draw(scene))] = (row, kind)


class Person(workers.SimulatedWorker):
    """A simulated worker who sees, writes and judges, as the page asks."""

    def __init__(
        self, *, number: int, seed: int, invitation: str, truth: Truth, is_careless: bool = False
    ) -> None:
        super().__init__(number=number, seed=seed, invitation=invitation)
        self._truth = truth
        self._is_careless = is_careless

    def _answer(self, question: Page, form: Form) -> Page:
        page = self._frame.post(form, [pair for part in form.parts for pair in self._think(part)])
        again = page.form("/answer/")
        if again is None:
            return page
        # The page points out what is odd but allowed only once.
        return self._frame.post(again, [pair for part in again.parts for pair in self._think(part)])

    def _think(self, part: Part) -> Fields:
        names = {one.entry: one.name for one in part.entries}
        row, kind = self._look(part)
        if "nothing" in names:
            return self._see(names, row, kind)
        if "underspecified" in names:
            return self._describe(names, row)
        if "marked" in names:
            return self._mark(part, row)
        return [(names["pick"], self._pick(part, row, kind))]

    def _see(self, names: Mapping[str, str], row: Row, kind: str) -> Fields:
        if kind != "weird":
            return [(names["nothing"], YES)]
        return [(names["text"], row["explanation"])]

    def _describe(self, names: Mapping[str, str], row: Row) -> Fields:
        if self._is_careless:
            return [
                (names["caption"], f"{CARELESS} I do not know what it is."),
                (names["explanation"], CARELESS),
                (names["underspecified"], CARELESS),
            ]
        return [
            (names["caption"], row["caption"]),
            (names["explanation"], self._truth.next_words(row)),
            (names["underspecified"], row["underspecified"]),
        ]

    def _mark(self, part: Part, row: Row) -> Fields:
        """Mark explanations; the box under all of them says that none is good."""
        *boxes, none = part.entries
        marked = [
            (box.name, box.value)
            for box, words in zip(boxes, part.texts("explanation"), strict=True)
            if (row["explanation"] in words) != self._truth.is_wrong(words, share=WRONG)
        ]
        return marked or [(none.name, NONE)]

    def _pick(self, part: Part, row: Row, kind: str) -> str:
        values = [one.value for one in part.entries]
        if "weird" in values:
            is_weird = kind == "weird"
            return "weird" if is_weird != self._truth.is_wrong(row["key"], kind, share=WRONG) else "normal"
        (claim,) = part.texts("claim")
        asked = part.texts("asked")
        if asked:
            is_right = [asked[0], claim] in row["questions"]
            wrong = self._truth.is_wrong(asked[0], claim, share=WRONG)
        else:
            is_right = claim == (row["caption"] if kind == "weird" else row["normal_caption"])
            wrong = self._truth.is_wrong(kind, claim, share=WRONG_OF_CAPTIONS)
        return YES if is_right != wrong else NO

    def _look(self, part: Part) -> tuple[Row, str]:
        url = part.pictures[0].removesuffix(SMALL)
        seen = self._truth.known(url) or self._truth.remember(url, self._frame.download(url))
        return self._truth.find(seen)


class Maker(workers.SimulatedWorker):
    """A simulated worker who takes the HIT, opens the workspace behind its link, and sends images there."""

    def __init__(self, *, number: int, seed: int, invitation: str, world: Mapping[str, Any]) -> None:
        super().__init__(number=number, seed=seed, invitation=invitation)
        self._world = world
        self._desk = ""

    def _answer(self, question: Page, form: Form) -> Page:
        self._desk = next(link for link in question.links if "/design/" in link)
        for row in self._world["images"]:
            first = row.get("first_try", {})
            self._send(row, {**row, **first}, f"{self._desk}new/", is_new=True)
        return self._frame.post(form)

    def send_again(self, image_id: str) -> None:
        """Send the image that nobody found weird again, made weird."""
        row = next(row for row in self._world["images"] if "first_try" in row)
        self._send(row, row, f"{self._desk}{image_id}/again/", is_new=False)

    def _send(self, row: Row, sent: Row, url: str, *, is_new: bool) -> None:
        page = self._frame.get(url)
        form = page.forms[0]
        categories = [value for value, _ in form.options["category"] if value]
        texts = [
            ("normal_element", row["normal"]),
            ("shared_element", row["shared"]),
            ("weird_element", row["weird"]),
            ("explanation", sent["explanation"]),
            ("category", categories[self._chance(row["key"]).randrange(len(categories))]),
            ("prompt", f"{row['weird']} with {row['shared']}, simple drawing"),
            ("tool", "the demo's own drawing"),
            ("seed", str(self._seed)),
        ]
        image = self._frame.send_file(form, texts, name="picture", content=scenes.draw(sent["scene"]))
        if image.url == url:
            raise CrowdError(f"The workspace refused an image: {row['key']}")
        if is_new:
            self._add_normal(row, image.url.partition("?")[0])

    def _add_normal(self, row: Row, image_url: str) -> None:
        page = self._frame.get(f"{image_url}normal/")
        texts = [
            ("prompt", f"{row['normal']} with {row['shared']}, simple drawing"),
            ("tool", "the demo's own drawing"),
            ("seed", str(self._seed)),
        ]
        content = scenes.draw(row["normal_scene"])
        self._frame.send_file(page.forms[0], texts, name="picture", content=content)
