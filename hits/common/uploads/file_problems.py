"""What is wrong with a file, told all at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from typing import NoReturn

MOST_PROBLEMS = 50
LONGEST_PROBLEM = 500


class Problems:
    """Every line that is wrong, as far as anybody wants to read on; the error is the caller's own."""

    def __init__(self, refusal: Callable[[list[str]], Exception], *, most: int | None = None) -> None:
        self._refusal = refusal
        self._most = MOST_PROBLEMS if most is None else most
        self._said: list[tuple[int, str]] = []
        self._more = 0

    @property
    def said(self) -> list[str]:
        return [*(words for _, words in self._said), *([f"And {self._more} more."] if self._more else [])]

    def say(self, words: str, *, line: int = 0) -> None:
        """A question mark stands for each sign that no page can show, and for half a character."""
        if len(self._said) < self._most:
            shown = "".join(sign if sign.isprintable() else "?" for sign in words[:LONGEST_PROBLEM])
            self._said.append((line, shown if len(words) <= LONGEST_PROBLEM else f"{shown}…"))
        else:
            self._more += 1

    @contextmanager
    def of(self, place: str, *, line: int = 0) -> Iterator[None]:
        """A ValueError in this block is what is wrong at this place, and the next row follows."""
        try:
            yield
        except ValueError as error:
            self.say(f"{place}: {error}", line=line)

    def arrange(self) -> None:
        """By line: for who looks many rows up at once, after they were read."""
        self._said.sort(key=itemgetter(0))

    def refuse(self) -> None:
        """Raises the caller's error if anything was said."""
        if self._said:
            raise self._refusal(self.said)

    def stop(self, words: str) -> NoReturn:
        """The whole file is something else, whatever was wrong with its lines so far."""
        self._said = []
        self._more = 0
        self.say(words)
        raise self._refusal(self.said)
