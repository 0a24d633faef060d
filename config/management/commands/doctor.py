import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config import doctor
from hits.common.health.findings import Finding


class Command(BaseCommand):
    help = "Looks at databases, keys, queue, model and every account, and says what to do."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print a JSON list")
        parser.add_argument("--account", default="", metavar="NAME", help="look at this account alone")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["account"]
        findings = doctor.examine_account(name) if name else doctor.examine()
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2))
        else:
            for finding in findings:
                self.stdout.write(_line(finding))
        if failed := sum(not finding.ok for finding in findings):
            raise CommandError(f"{failed} of {len(findings)} checks failed.")


def _line(finding: Finding) -> str:
    mark = "FAIL" if not finding.ok else "off " if finding.is_off else "ok  "
    advice = f" -> {finding.advice}" if finding.advice else ""
    return f"{mark} {finding.name:<36} {finding.saw}{advice}"
