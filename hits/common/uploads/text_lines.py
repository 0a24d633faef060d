"""Lines of a text file, whatever its encoding and line ends, with never more of it in memory than one row."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from hits.common.uploads.file_problems import Problems

# The length to which the csv module reads one cell, too.
LONGEST_ROW = 131_072
LONGEST_LIST = 20_000_000
PIECE = 256
WORKBOOK = b"PK\x03\x04"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
# What `surrogateescape` makes of a byte that is no UTF-8, and what no UTF-8 holds otherwise.
UNDECODED = re.compile(r"[\udc80-\udcff]")
SAVE_AGAIN = "Save the file again as “CSV UTF-8”, and upload that."


class Lines:
    """An iterator over lines, each with its end; `begin_row` says that the next row starts."""

    def __init__(self, file: BinaryIO, problems: Problems, *, file_name: str = "") -> None:
        self.file_name = file_name
        self.number = 0
        self.problems = problems
        self._left = LONGEST_ROW
        self._row = 1
        encoding = self._encoding(file)
        self._text = TextIOWrapper(file, encoding=encoding, errors="surrogateescape", newline="")

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._read(self._text.readline, self._left + 1)
        if not line:
            raise StopIteration
        self.number += 1
        self._left -= len(line)
        if self._left < 0:
            words = f"is too long: a row has at most {LONGEST_ROW:,} characters."
            self.stop(f"{self.place(self._row)} {words} Look for a quotation mark that is not closed.")
        self._check(line, before=self.number - 1)
        return line

    def begin_row(self) -> None:
        self._row, self._left = self.number + 1, LONGEST_ROW

    def place(self, line: int) -> str:
        return f"{self.file_name}, line {line}" if self.file_name else f"Line {line}"

    def stop(self, words: str) -> NoReturn:
        """Refuse the whole file. A recording's file is named if `words` do not name it."""
        named = not self.file_name or words.startswith(self.file_name)
        self.problems.stop(words if named else f"{self.file_name}: {words}")

    def first_sign(self) -> str:
        """Return the first character that is no space. Refuses an empty file."""
        sign = ""
        while not sign and (piece := self._read(self._text.read, PIECE)):
            sign = piece.lstrip()[:1]
        if not sign:
            self.stop("The file is empty.")
        self._text.seek(0)
        return sign

    def whole(self) -> str:
        """Return the whole text, for formats that are not read by lines; each line end is a line feed."""
        text = self._read(self._text.read, LONGEST_LIST + 1)
        if len(text) > LONGEST_LIST:
            self.stop(f"A JSON list has at most {LONGEST_LIST:,} characters. Write JSON Lines instead.")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._check(text, before=0)
        return text

    def close(self) -> None:
        """Detach from the file, which is the caller's and stays open."""
        self._text.detach()

    def _encoding(self, file: BinaryIO) -> str:
        head = file.read(len(WORKBOOK))
        file.seek(0)
        if head == WORKBOOK:
            self.stop("This is a workbook or an archive. Save the sheet as CSV, and upload that.")
        return "utf-16" if head.startswith(UTF_16) else "utf-8-sig"

    def _read(self, read: Any, size: int) -> str:
        try:
            return str(read(size))
        except UnicodeDecodeError:
            self.stop(f"This is not UTF-16 text to its end. {SAVE_AGAIN}")

    def _check(self, text: str, *, before: int) -> None:
        if not text.isascii() and (found := UNDECODED.search(text)):
            line = before + 1 + text.count("\n", 0, found.start())
            self.stop(f"{self.place(line)} is not UTF-8 text. {SAVE_AGAIN}")


@contextmanager
def opened(content: bytes | BinaryIO | Path, *, problems: Problems) -> Iterator[Lines]:
    """Open the content as lines. A path is a recording's file, and is named in each problem."""
    name = content.name if isinstance(content, Path) else ""
    with _binary(content) as file, closing(Lines(file, problems, file_name=name)) as lines:
        yield lines


def whole_text(content: bytes | BinaryIO, *, problems: Problems) -> str:
    """Return the whole text of a small file that is shown before its rows are taken."""
    with opened(content, problems=problems) as lines:
        return lines.whole()


def _binary(content: bytes | BinaryIO | Path) -> Any:
    if isinstance(content, Path):
        return content.open("rb")
    return nullcontext(BytesIO(content) if isinstance(content, bytes) else content)
