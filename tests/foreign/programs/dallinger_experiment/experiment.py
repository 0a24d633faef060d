"""An experiment as a lab has one: Dallinger's own pages, one page of its own, and a bonus for all."""

import os

from dallinger.experiment import Experiment  # type: ignore[import-not-found]
from dallinger.networks import Empty  # type: ignore[import-not-found]
from dallinger.recruiters import MTurkRecruiter  # type: ignore[import-not-found]


class Recruiter(MTurkRecruiter):  # type: ignore[misc]
    """The lines that the experiment needs: Dallinger prefers a subclass that has the same nickname."""

    external_submission_url = f"{os.environ['MARKETPLACE']}/mturk/externalSubmit"


class Remembering(Experiment):  # type: ignore[misc]
    def create_network(self) -> Empty:
        return Empty(max_size=2)

    def bonus(self, participant: object) -> float:
        return 0.25
