"""The project's own question page, on the server that we started, for checks 64 to 66.

The marketplace may not import other packages, so MAKE_PAGE is what an operator would type into
`manage.py shell`.
"""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from crowd.marketplace.tools.conformance.outcomes import Failed
from crowd.marketplace.tools.conformance.requester import Requester
from crowd.marketplace.tools.conformance.server import Served, manage

PATIENCE_S = 90
MAKE_PAGE = """
import json, os, sys
from django.core.management import call_command
call_command("migrate", database="default", verbosity=0, interactive=False)
from crowd.pictures.services import NewPicture, add_picture
from crowd.winogavil.domain import SOLVE
from crowd.winogavil.services.seeded_associations import seed_association
from django.utils import timezone
from hits.models import Account, Batch, HIT, Study
given = json.loads(os.environ["CONFORMANCE_PAGE"])
account = Account.objects.create(
    name="conformance", environment="marketplace", endpoint=given["site"], worker_site=given["site"],
    access_key_id="none", secret_access_key="none", ticket_key=given["ticket_key"],
)
study = Study.objects.create(name="conformance", lab="conformance")
pictures = [
    add_picture(NewPicture(
        content=f'<svg xmlns="http://www.w3.org/2000/svg"><!-- {number} --></svg>'.encode(),
        media_type="image/svg+xml", concept=f"concept {number}",
    ))
    for number in range(5)
]
seed_association(study=study, cue="cold", candidates=pictures, chosen=pictures[:2])
batch = Batch.objects.create(
    study=study, account=account, task=SOLVE, title="Conformance", description="Conformance.",
    reward="0.01", status="open", launched_at=timezone.now(),
)
print(json.dumps({"page": str(HIT.objects.create(batch=batch).public_id)}))
"""


@dataclass
class Product:
    served: Served
    requester: Requester  # whose tickets the page believes

    @cached_property
    def question_page(self) -> str:
        """The question page's address. Rows of the researchers' side are made for it."""
        given = {"site": self.served.endpoint, "ticket_key": self.requester.keys.ticket_key}
        made = run_manage(
            "shell",
            "-c",
            MAKE_PAGE,
            environment={**self.served.environment, "CONFORMANCE_PAGE": json.dumps(given)},
        )
        if made.returncode:
            raise Failed(f"the question page could not be made: {made.stderr[-2000:]}")
        page = json.loads(made.stdout.splitlines()[-1])["page"]
        return f"{self.served.public_url}/q/{page}/"


def run_manage(*arguments: str, environment: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        manage(*arguments),
        env=dict(environment),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
