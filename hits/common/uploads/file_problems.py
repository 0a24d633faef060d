"""Problems of a file, all reported at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from typing import NoReturn

MOST_PROBLEMS = 50
LONGEST_PROBLEM = 500


class Problems:
    """Every wrong line, up to as many as a person would read; the error raised is the caller's own."""

    def __init__(self, refusal: Callable[[list[str]], Exception], *, most: int | None = None) -> None:
        self._refusal = refusal
        self._most = MOST_PROBLEMS if most is None else most
        self._said: list[tuple[int, str]] = []
        self._more = 0

    @property
    def said(self) -> list[str]:
        return [*(words for _, words in self._said), *([f"And {self._more} more."] if self._more else [])]

    def say(self, words: str, *, line: int = 0) -> None:
        """Add a problem, with a question mark for each sign that no page can show."""
        if len(self._said) < self._most:
            shown = "".join(sign if sign.isprintable() else "?" for sign in words[:LONGEST_PROBLEM])
            self._said.append((line, shown if len(words) <= LONGEST_PROBLEM else f"{shown}…"))
        else:
            self._more += 1

    def lead(self, words: str) -> None:
        """Say what is wrong with the file as a whole, above all of its lines."""
        self._said.insert(0, (0, words))

    @contextmanager
    def of(self, place: str, *, line: int = 0) -> Iterator[None]:
        """Record a ValueError in this block as the problem of this place; the next row follows."""
        try:
            yield
        except ValueError as error:
            self.say(f"{place}: {error}", line=line)

    def arrange(self) -> None:
        """Sort the problems by line, for callers that look many rows up at once after they were read."""
        self._said.sort(key=itemgetter(0))

    def refuse(self) -> None:
        """Raise the caller's error if there is any problem."""
        if self._said:
            raise self._refusal(self.said)

    def stop(self, words: str) -> NoReturn:
        """Refuse the whole file with these words alone, whatever was wrong with its lines so far."""
        self._said = []
        self._more = 0
        self.say(words)
        raise self._refusal(self.said)
