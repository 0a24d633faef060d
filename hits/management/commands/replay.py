import json
import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from hits.core.errors import CrowdError, InvalidItems
from hits.data import replays


class Command(BaseCommand):
    help = (
        "Feeds recorded work of a task family through the services of live work, and says what it comes to. "
        "Nobody is asked or paid. Replaying the same files again adds nothing; a replay that was killed goes "
        "on when it is started again. The files are described in docs/replaying.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        families = parser.add_subparsers(dest="family", required=True, metavar="FAMILY", title="families")
        for name, replay in replays.registered().items():
            of_family = families.add_parser(name, help=", ".join(replay.files))
            of_family.add_argument("folder", type=Path, metavar="DIR", help="where the CSV files are")
            of_family.add_argument(
                "--study",
                help="name of the study, created if it is missing (default: a separate one for these files)",
            )
            of_family.add_argument("--json", action="store_true", help="one JSON object, for programs")
            replay.add_arguments(of_family)

    def handle(self, *_: Any, family: str, folder: Path, study: str | None, **options: Any) -> None:
        began = time.monotonic()
        try:
            replay = replays.get(family)
            paths, own = _find(folder, replay), _options_of(replay, options)
            name = study or f"Replay of {family} {_digest(paths, options=own)}"
            report = replay.replay(folder=folder, study=name, tell=self._tell, now=timezone.now(), **own)
        except InvalidItems as error:
            raise CommandError("\n".join(error.problems)) from error
        except CrowdError as error:
            raise CommandError(str(error)) from error
        finally:
            self._say("")
        report["seconds"] = round(time.monotonic() - began, 2)
        self.stdout.write(json.dumps(report) if options["json"] else "\n".join(_in_words(report)))

    def _tell(self, what: str, done: int, of: int | None) -> None:
        self._say(f"{what}: {done:,} of {of:,}" if of else f"{what}: {done:,}")

    def _say(self, words: str) -> None:
        """Overwrite the status line, only if the output is a terminal."""
        if self.stderr.isatty():
            self.stderr.write(f"\r{words:<60}\r{words}", style_func=str, ending="")


def _find(folder: Path, replay: replays.Replay) -> list[Path]:
    paths = [folder / name for name in replay.files]
    for path in paths:
        if not path.is_file():
            files = " and ".join(replay.files)
            raise CrowdError(f"There is no file {path}. A replay of {replay.family} reads {files}.")
    return paths


def _options_of(replay: replays.Replay, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the family's own options, without those of the command."""
    parser = ArgumentParser(add_help=False)
    replay.add_arguments(parser)
    return {name: options[name] for name in sorted(vars(parser.parse_args([])))}


def _digest(paths: Sequence[Path], *, options: Mapping[str, Any]) -> str:
    """Return a digest of files and options: the same ones are the same study, wherever the files are."""
    whole = sha256(json.dumps(options).encode() if options else b"")
    for path in paths:
        with path.open("rb") as file:
            whole.update(file_digest(file, "sha256").digest())
    return whole.hexdigest()[:12]


def _in_words(report: Mapping[str, Any], indent: str = "") -> list[str]:
    lines = []
    for key, value in report.items():
        if isinstance(value, Mapping):
            lines += [f"{indent}{key}:", *_in_words(value, indent + "  ")]
        else:
            lines.append(f"{indent}{key}: {value}")
    return lines
