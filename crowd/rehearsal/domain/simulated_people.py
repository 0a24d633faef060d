"""Simulated workers: drawn from a seed, so that the same seed always draws the same people."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from crowd.rehearsal.domain.assumptions import Assumptions

# By how much the pace of workers differs: the standard deviation of its logarithm.
PACES = 0.35
SPAM_PACE = 0.1


@dataclass(frozen=True, kw_only=True)
class SimulatedPerson:
    number: int
    # The chance that an answer to one question is the expected one.
    skill: float
    # Times as long as the usual worker.
    pace: float
    is_spammer: bool
    passes_tests: bool
    most_works: int
    zone: timedelta
    first_hour: int
    last_hour: int
    comes_at: datetime

    @property
    def name(self) -> str:
        return f"REHEARSED{self.number}"

    def next_awake(self, at: datetime) -> datetime:
        """The first instant from then on within this person's working hours."""
        local = at + self.zone
        morning = local.replace(hour=0, minute=0, second=0, microsecond=0)
        begins = morning + timedelta(hours=self.first_hour)
        if local < begins:
            return begins - self.zone
        if local >= morning + timedelta(hours=self.last_hour):
            return begins + timedelta(days=1) - self.zone
        return at


def draw_people(assumed: Assumptions, *, chance: Random, now: datetime) -> Iterator[SimulatedPerson]:
    for number in range(1, assumed.workers + 1):
        is_spammer = chance.random() * 100 < assumed.spammers
        skill = min(100.0, max(0.0, chance.gauss(assumed.skill, assumed.skill_spread)))
        pace = chance.lognormvariate(0, PACES)
        person = SimulatedPerson(
            number=number,
            skill=0.0 if is_spammer else skill / 100,
            pace=pace * SPAM_PACE if is_spammer else pace,
            is_spammer=is_spammer,
            passes_tests=chance.random() * 100 >= assumed.fails_tests,
            most_works=max(1, round(chance.expovariate(1 / assumed.works_each))),
            zone=timedelta(hours=chance.choice(assumed.zones)),
            first_hour=assumed.first_hour,
            last_hour=assumed.last_hour,
            comes_at=now + timedelta(hours=chance.uniform(0, assumed.come_within_h)),
        )
        yield person


def draw_seconds(person: SimulatedPerson, *, usual_s: float, chance: Random) -> float:
    """Seconds that this person takes for work that usually takes so long; no two works take the same."""
    return max(1.0, usual_s * person.pace * chance.lognormvariate(0, PACES))
