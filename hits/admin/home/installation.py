"""Whether the installation does its work, for those who keep it: a card on the home page.

It has what can be told at once. The command of the card checks everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from hits.common import wake
from hits.common.health.background_checks import check_background
from hits.common.health.findings import Finding
from hits.common.next_commands import next_command
from hits.identity.models.users import User

KEEPS_IT = "hits.add_account"


@dataclass(frozen=True, kw_only=True)
class Installation:
    findings: Sequence[Finding]
    command: str
    desk_url: str = ""

    @property
    def is_well(self) -> bool:
        return all(finding.ok for finding in self.findings)


def installation_for(user: User) -> Installation | None:
    """Look at the installation for those who keep it; others see and cost nothing."""
    if not user.has_perm(KEEPS_IT):
        return None
    channel = wake.channel()
    return Installation(
        findings=list(check_background(channel)) if channel else [],
        command=next_command("doctor"),
        desk_url=f"{settings.MARKETPLACE_URL}/desk/" if _is_marketplace_served() else "",
    )


def _is_marketplace_served() -> bool:
    """Whether the marketplace is reached here: deployed and unused, it has the default address."""
    return settings.EMBEDDED or urlsplit(settings.MARKETPLACE_URL).hostname != "localhost"
