"""Simulated workers of the exception procedure, whose answers follow from the seed and from what they read.

The order of asking does not change the outcome: only one judge is careless, and everybody but its author
judges a sentence.
"""

import re
import time
from collections.abc import Mapping
from random import Random

from crowd.demo import workers
from crowd.demo.browser import Form, Page
from crowd.questions.domain import NO, YES
from crowd.winoventi.demo.world import world
from crowd.winoventi.domain.answers import ALTERNATIVES
from crowd.winoventi.domain.outcomes import QUESTIONS
from crowd.winoventi.domain.premises import Premise, read_premise
from crowd.winoventi.domain.prompts import BLANK, challenge
from hits.core.errors import CrowdError

NOT_AVAILABLE = "N/A"
STATEMENT = re.compile(r"The (?P<noun>\S+) is (?P<generic>\S+)\.")
PAIR = re.compile(r"The (?P<noun>\S+) is \[(?P<generic>\S+) / (?P<exception>\S+)\]\.")
# Probabilities of what is written and chosen.
NO_IDEA, GIVES_AWAY, WRONG_CHOICE, NEEDLESS_OBJECTION = 0.1, 0.3, 0.1, 0.2
SLOW_S = 0.1
# A refused page is corrected; a page that only warns is sent again.
TRIES = 3
Texts = Mapping[str, str]


class Person(workers.SimulatedWorker):
    def __init__(
        self,
        *,
        number: int,
        seed: int,
        invitation: str,
        is_slow: bool = False,
        is_hasty: bool = False,
        is_careless: bool = False,
        has_ideas: bool = True,
    ) -> None:
        super().__init__(number=number, seed=seed, invitation=invitation)
        self._is_slow = is_slow
        self._is_hasty = is_hasty
        self._is_careless = is_careless
        self._has_ideas = has_ideas

    def _answer(self, question: Page, form: Form) -> Page:
        texts = self._think(form)
        if self._is_slow:
            time.sleep(SLOW_S)
        page = self._frame.post(form, _fields(form, self._first_try(texts)))
        for _ in range(TRIES):
            again = page.form("/answer/")
            if again is None:
                return page
            page = self._frame.post(again, _fields(again, texts))
        raise CrowdError(f"The answer of worker {self.number} was refused: {texts}")

    def _first_try(self, texts: Texts) -> Texts:
        """The first try; a hasty worker's has two words for one, which the page refuses and shows again."""
        if not self._is_hasty or not texts.get(ALTERNATIVES[0]):
            return texts
        return {**texts, ALTERNATIVES[0]: f"not {texts[ALTERNATIVES[0]]}"}

    def _think(self, form: Form) -> Texts:
        asked = {one.entry for one in form.entries}
        if "fits" in asked:
            return self._walk()
        if "makes_sense" in asked:
            return self._except(_read(STATEMENT, form))
        if "sentence" in asked:
            return self._write(_read(PAIR, form))
        if "choice" in asked:
            return self._choose(form)
        return self._judge(form)

    def _walk(self) -> Texts:
        row: Texts = world()["walk"]
        words = dict(zip(ALTERNATIVES, row["exceptions"].split("|"), strict=False))
        sentence = row["sentence"] if self._has_ideas else NOT_AVAILABLE
        picks = {name: row[name] for name in ("makes_sense", "synonym", "fits")}
        return {**picks, **words, **_in_bracket(sentence)}

    def _except(self, statement: Texts) -> Texts:
        noun, generic = statement["noun"], statement["generic"]
        if f"{noun} {generic}" in world()["nonsense"]:
            return {"makes_sense": NO}
        known = world()["exceptions"].get(noun, {}).get(generic, [NOT_AVAILABLE])
        said = known[: 1 + self._lot(noun, generic).randrange(len(known))]
        return {"makes_sense": YES, **dict(zip(ALTERNATIVES, said, strict=False))}

    def _write(self, pair: Texts) -> Texts:
        """A good sentence, one that gives itself away by words that mean the same, or none."""
        noun, generic, exception = pair["noun"], pair["generic"], pair["exception"]
        drawn = self._lot(noun, generic, exception).random()
        known = world()["premises"].get(f"{noun} {generic} {exception}")
        if known is None or drawn < NO_IDEA:
            return _in_bracket(NOT_AVAILABLE)
        if drawn < GIVES_AWAY:
            same = world()["synonyms"]
            return _in_bracket(f"Anybody can see that the {noun} is [{same[generic]} / {same[exception]}].")
        return _in_bracket(known)

    def _judge(self, form: Form) -> Texts:
        """Object to words that mean the same; the careless worker also objects at random."""
        same = world()["synonyms"]
        answers = dict.fromkeys(map(str, QUESTIONS), NO)
        for question, prompt in zip(answers, form.texts("prompt"), strict=True):
            outcome, _, word = prompt.partition(" / ")
            needless = self._is_careless and self._chance(prompt).random() < NEEDLESS_OBJECTION
            if same.get(outcome) == word or needless:
                answers[question] = YES
        return answers

    def _choose(self, form: Form) -> Texts:
        (prompt,) = form.texts("prompt")
        options = [one.value for one in form.entries]
        right = _targets()[prompt]
        is_wrong = self._lot(prompt).random() < WRONG_CHOICE
        return {"choice": next(one for one in options if (one != right) == is_wrong)}

    def _lot(self, *about: str) -> Random:
        """A random source that is the same for every worker who is asked."""
        return Random(":".join([str(self._seed), *about]))  # noqa: S311


def _in_bracket(sentence: str) -> Texts:
    words = read_premise(sentence=sentence, generic_word="", exception_word="").bracket or ("", "")
    return {"sentence": sentence, "generic_word": words[0], "exception_word": words[1]}


def _targets() -> dict[str, str]:
    """The right outcome of each prompt that is made of a good sentence."""
    found = {}
    for key, sentence in world()["premises"].items():
        noun, *outcomes = key.split()
        texts = _in_bracket(sentence)
        premise = Premise(**texts)
        for outcome, word in zip(outcomes, (texts["generic_word"], texts["exception_word"]), strict=True):
            found[challenge(premise.with_word(word), noun=noun, mask=BLANK)] = outcome
    return found


def _read(pattern: re.Pattern[str], form: Form) -> Texts:
    (text,) = form.texts("cue statement")
    found = pattern.fullmatch(text.strip())
    if found is None:
        raise CrowdError(f"The statement cannot be understood: {text}")
    return found.groupdict()


def _fields(form: Form, texts: Texts) -> list[tuple[str, str]]:
    """Fields as a browser sends them: only the picked one of several options."""
    names = {one.entry: one.name for one in form.entries}
    return [(names[entry], text) for entry, text in texts.items()]
