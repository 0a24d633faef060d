"""What a provider can and cannot do. Pages and services ask for this, and never which provider it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum


class Gating(StrEnum):
    """How a provider itself keeps workers away."""

    SCORED = "scored qualifications"
    GROUPS = "groups of workers"
    NONE = "not at all"


@dataclass(frozen=True, kw_only=True)
class RejectionRules:
    """What a provider asks of whoever rejects work, beside a reason."""

    shortest: int = 1
    # Its categories, in words of ours.
    categories: Mapping[str, str] = field(default_factory=dict)
    # What a reviewer reads before they type.
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a provider can do. The defaults are what the Requester API can."""

    # Whether there is a provider at all: somebody to ask, to send work to, and who pays.
    is_connected: bool = True
    # Whether the people are players of a web game, whom nobody qualifies, asks for consent again or pays.
    are_players: bool = False
    # Whether work is posted as many HITs; otherwise as one study whose places our pages fill.
    many_hits: bool = True
    # Whether a HIT ends by itself when its time to start is over; otherwise we end it.
    ends_in_time: bool = True
    # Whether it keeps a copy of each answer, from which one that never reached us is taken.
    keeps_answers: bool = True
    gating: Gating = Gating.SCORED
    # Days after which it approves by itself, where the delay is not ours to choose.
    approves_after_days: int | None = None
    # Whether a payment asked for twice with one token is made once.
    pays_once: bool = True
    # Whether its list of payments shows the reason that we gave, and our reference in it.
    lists_reasons: bool = True
    # Whether a hard block, a letter, a rejection taken back are known to it.
    blocks: bool = True
    letters: bool = True
    overrides: bool = True
    # The names of the ways in which it tells of events.
    events: Sequence[str] = ("none", "webhook", "sns", "sqs")
    # Whether its events are asked for once for the whole account, and signed with a secret that it gives.
    gives_hook_secret: bool = False
    rejection: RejectionRules = RejectionRules()
    # Whether a visit is verified by asking it, as no ticket or event proves who comes.
    verifies_visits: bool = False
    # The currencies that an account there can hold.
    currencies: Sequence[str] = ("USD",)
    # Whether it says itself what work will cost.
    tells_cost: bool = False
    # The least that it lets be paid for an hour, by currency.
    hourly_floor: Mapping[str, Decimal] = field(default_factory=dict)
    # The seconds in which it counts the expected time of work; what is begun counts whole.
    time_unit_s: int = 1
    # What identifiers of its workers and their work look like.
    identifiers: str = r"[A-Z0-9]{1,64}"

    def counted_s(self, seconds: int) -> int:
        """The expected time of work as the provider counts it."""
        return -(-seconds // self.time_unit_s) * self.time_unit_s


REQUESTER_API = Capabilities()
# No provider at all: people of a web game, and people whose work was recorded elsewhere.
PLAYERS = Capabilities(
    is_connected=False,
    are_players=True,
    gating=Gating.NONE,
    blocks=False,
    letters=False,
    events=("none",),
    currencies=("USD", "GBP"),
)
RECORDED = Capabilities(
    is_connected=False,
    gating=Gating.NONE,
    blocks=False,
    letters=False,
    events=("none",),
    currencies=("USD", "GBP"),
)
PROLIFIC = Capabilities(
    many_hits=False,
    ends_in_time=False,
    keeps_answers=False,
    gating=Gating.GROUPS,
    approves_after_days=21,
    pays_once=False,
    lists_reasons=False,
    overrides=False,
    verifies_visits=True,
    tells_cost=True,
    gives_hook_secret=True,
    events=("none", "webhook"),
    rejection=RejectionRules(
        shortest=100,
        categories={
            "LOW_EFFORT": "Little effort",
            "FAILED_INSTRUCTIONS": "Instructions were not followed",
            "FAILED_CHECK": "Attention checks were failed",
            "TOO_QUICKLY": "Done far too quickly",
            "TOO_SLOWLY": "Done far too slowly",
            "MALINGERING": "Pretended",
            "NO_DATA": "There is no data",
            "NO_CODE": "No completion code",
            "BAD_CODE": "A wrong completion code",
            "INCOMP_LONGITUDINAL": "A later part was not done",
            "UNSUPP_DEVICE": "A device that was not asked for",
            "OTHER": "Something else",
        },
        advice=(
            "Prolific asks for one of its categories and for at least 100 characters that say to the "
            "participant what was wrong. A rejection cannot be taken back from here. Prolific wants few of "
            "them: where the participant may have meant well, approve, and keep the answer out of the data."
        ),
    ),
    currencies=("GBP", "USD"),
    hourly_floor={"GBP": Decimal(6), "USD": Decimal(8)},
    time_unit_s=60,
    identifiers=r"[A-Za-z0-9]{1,64}",
)

BY_KIND: Mapping[str, Capabilities] = {
    "mturk": REQUESTER_API,
    "web": PLAYERS,
    "recorded": RECORDED,
    "prolific": PROLIFIC,
}
CONNECTED = [kind for kind, can in BY_KIND.items() if can.is_connected]
OF_PLAYERS = [kind for kind, can in BY_KIND.items() if can.are_players]
ENDED_BY_US = [kind for kind, can in BY_KIND.items() if can.is_connected and not can.ends_in_time]
GIVING_SECRETS = [kind for kind, can in BY_KIND.items() if can.gives_hook_secret]
