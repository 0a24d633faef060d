"""What is wrong with a file, told all at once."""

from hits.errors import InvalidItems

MOST_PROBLEMS = 50


class Problems:
    """Every line that is wrong, as far as anybody wants to read on."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._more = 0

    def say(self, words: str) -> None:
        """Half a character, as JSON can write one, no page can show: a question mark stands for it."""
        if len(self._said) < MOST_PROBLEMS:
            self._said.append(words.encode(errors="replace").decode())
        else:
            self._more += 1

    def refuse(self) -> None:
        """Raises InvalidItems if anything was said."""
        more = [f"And {self._more} more."] if self._more else []
        if self._said:
            raise InvalidItems([*self._said, *more])
