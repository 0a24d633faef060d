"""Pages use plain words: what was hard to read is gone, and no page names a file of the repository."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
HARD = re.compile(
    r"Back, change nothing|wait to be let in|Waiting to be let in|>Leave it|Mend its words|Took the close"
    r"|Make the token|Who holds what|Three-way match|>Look again<"
)
# What a page says about a field or an action. Commands are for a shell, where files are known.
FILES = re.compile(r"""["'>][^"'<>]*\b(docs/[\w-]+\.md|README|[\w/]+\.py)\b""")
ROOMS = ("hits/", "crowd/", "qualifications/", "scoring/", "config/templates/")


def _texts(*patterns: str) -> dict[str, str]:
    listed = subprocess.run(
        ["git", "ls-files", *patterns],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    paths = [one for one in listed if one.startswith(ROOMS) and (ROOT / one).exists()]
    return {one: (ROOT / one).read_text() for one in paths if "/migrations/" not in one}


def test_no_page_says_what_readers_stumbled_over() -> None:
    found = [(path, hit) for path, text in _texts("*.html", "*.py").items() for hit in HARD.findall(text)]

    assert found == []


def test_no_help_text_names_a_file_of_the_repository() -> None:
    found = [
        (path, line.strip())
        for path, text in _texts("*/admin/*.py", "*.html").items()
        for line in text.splitlines()
        if FILES.search(line) and "manage.py" not in line and '"""' not in line
    ]

    assert found == []
