"""The plan that one seed decides: acts of people in a run, harms, and their times."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.promise.adversary import proxy

OPERATIONS = (
    "", "", *["SendBonus"] * 4, *["CreateHIT"] * 2, *["CreateAdditionalAssignmentsForHIT"] * 2,
    *["ListBonusPayments"] * 2, "GetHIT", "ListHITs", "ListAssignmentsForHIT", "UpdateExpirationForHIT",
    "ApproveAssignment", "RejectAssignment",
)  # fmt: skip
# Seconds by which a machine's clock is wrong.
CLOCKS_S = (-3 * 3600, -600, -240, 240, 600, 3 * 3600)
# One of so many runs is restored to a copy that it has made of itself.
RESTORED_IN = 4
HARMS = {
    "embedded": ("db_lock", "broker_folder", "full_disk", "wrong_clock", "second"),
    "deployed": ("db_cut", "db_cut", "broker_cut", "broker_flush", "wrong_clock", "second"),
}
ACTS = (
    *["work"] * 6, *["go_on"] * 2, *["steer"] * 3, *["review"] * 2, *["owe"] * 3, *["pay_out"] * 2,
    "hand_in_rubbish", "give_back", "launch",
)  # fmt: skip
VERBS = (
    "pause", "resume", "resume", "release", "drain", "add_hits", "expire", "extend", "extend", "add_places",
    "add_places",
)  # fmt: skip
MOST_HITS_AT_A_TIME = 3


@dataclass(frozen=True)
class Step:
    at_s: float
    what: str
    given: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    acts: list[Step]
    lies: list[Step]
    harms: list[Step]


def plan_run(*, seed: int, seconds: float, form: str) -> Plan:
    chance = Random(f"{seed} {form}")
    restored = Step(round(seconds / 3, 3), "restored", {"seconds": round(seconds / 6, 3)})
    first = [Step(0, "pay_out"), Step(0.1, "launch", {"hits": 3, "workers": 2, "pilot": 0})]
    return Plan(
        acts=[*first, *_steps(chance, int(seconds * 2.5), seconds, lambda: _act(chance))],
        lies=[
            *(_lie_at_once(chance, operation) for operation in ("SendBonus", "CreateHIT")),
            *_steps(chance, int(seconds * 3), seconds, lambda: _lie(chance, seconds)),
        ],
        harms=sorted(
            [
                *_steps(chance, max(3, int(seconds / 3)), seconds, lambda: _harm(chance, seconds, form)),
                *_steps(chance, max(2, int(seconds / 5)), seconds, lambda: _kill(chance)),
                *([restored] if seed % RESTORED_IN == 0 else []),
            ],
            key=lambda step: step.at_s,
        ),
    )


def _steps(chance: Random, count: int, seconds: float, make: Any) -> list[Step]:
    moments = sorted(chance.uniform(0, seconds) for _ in range(count))
    return [Step(round(at, 3), *make()) for at in moments]


def _act(chance: Random) -> tuple[str, dict[str, Any]]:
    what, number = chance.choice(ACTS), chance.randrange(100)
    given: dict[str, dict[str, Any]] = {
        "launch": {
            "hits": chance.randint(1, MOST_HITS_AT_A_TIME),
            "workers": chance.randint(1, 3),
            "pilot": chance.randint(0, 1),
        },
        "work": {"person": chance.randrange(4), "number": number},
        "steer": {"verb": chance.choice(VERBS), "number": number},
        "review": {"kind": chance.choice(("approve", "keep_out", "reject", "override")), "number": number},
        "owe": {"number": number, "cents": chance.randint(1, 30)},
        "pay_out": {},
    }
    return what, given.get(what, {"number": number})


def _lie(chance: Random, seconds: float) -> tuple[str, dict[str, Any]]:
    return chance.choice(proxy.KINDS), {
        "operation": chance.choice(OPERATIONS),
        "times": chance.randint(1, 5),
        "seconds": round(chance.uniform(0.2, seconds / 2), 3),
    }


def _lie_at_once(chance: Random, operation: str) -> Step:
    """A lie about the first call of this operation."""
    given = {"operation": operation, "times": chance.randint(1, 4), "seconds": chance.choice((0.5, 2))}
    return Step(0, chance.choice(proxy.KINDS), given)


def _kill(chance: Random) -> tuple[str, dict[str, Any]]:
    pause_s = round(chance.choice((0, 0, chance.random())), 3)
    return "kill", {"victim": chance.randrange(100), "pause_s": pause_s}


def _harm(chance: Random, seconds: float, form: str) -> tuple[str, dict[str, Any]]:
    what = chance.choice(HARMS[form])
    given: dict[str, dict[str, Any]] = {
        "db_lock": {"seconds": round(chance.uniform(0.5, min(25, seconds / 2)), 3)},
        "db_cut": {"database": chance.choice(("default", "default", "marketplace"))},
        "broker_folder": {"name": chance.choice(("messages", "control", "sweeps", ""))},
        "broker_cut": {"seconds": round(chance.choice((0, 0, chance.uniform(0, 3))), 3)},
        "full_disk": {
            "seconds": round(chance.uniform(0.5, seconds / 2), 3),
            "room": chance.choice((0, 65_536, 1_048_576)),
        },
        "wrong_clock": {"ahead_s": chance.choice(CLOCKS_S)},
    }
    return what, given.get(what, {})
