from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from qualifications.models import SwowList
from qualifications.services.list_imports import words_by_frequency
from scoring.services.vocabulary import learn_words


class Command(BaseCommand):
    help = (
        "Adds words to the vocabulary, whose vectors every rival in play computes before anybody asks: those "
        "of a file with one word in each line, the most frequent first, or without a file those of every "
        "association list that is here. A list that is imported adds its words by itself."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, nargs="?")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path | None = options["file"]
        if path is None:
            ready = SwowList.objects.filter(status=SwowList.Status.READY).order_by("pk")
            count = sum(learn_words(words_by_frequency(swow)) for swow in ready)
        else:
            count = learn_words(_words_of(path))
        self.stdout.write(f"{count} new words. The rival's process reads them in the background.")


def _words_of(path: Path) -> list[str]:
    try:
        return [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as problem:
        raise CommandError(f"{path} cannot be read as UTF-8 text: {problem}") from problem
