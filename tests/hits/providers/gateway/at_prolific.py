"""The stand-in of Prolific as a world of the contract suite."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from crowd.marketplace.tools.prolific import StandIn
from crowd.marketplace.tools.prolific.state.prolific_world import TOKEN
from hits.providers import capabilities
from hits.providers.capabilities import Capabilities
from hits.providers.gateway.interface import HITSpec
from hits.providers.prolific.completion_codes import Ending, code_of
from hits.providers.prolific.prolific_client import ProlificClient
from hits.providers.prolific.prolific_provider import ProlificProvider
from tests.hits.providers.gateway.specs import SECRET

LONG = (
    " It was asked for in the instructions, which said what a good answer has, and this one has none of it."
)


@dataclass(kw_only=True)
class AtProlific:
    """The stand-in over HTTP, as the marketplace is."""

    stand_in: StandIn
    balance: Decimal = Decimal(100)
    can: Capabilities = capabilities.PROLIFIC
    provider: ProlificProvider = field(init=False)

    def __post_init__(self) -> None:
        world = self.stand_in.world
        workspace = world.add_workspace(title="Contract", currency_code="USD")
        world.top_up(workspace, int(self.balance * 100))
        project = world.add_project(workspace=workspace, title="Contract")
        self.client = ProlificClient(endpoint=f"{world.base_url}/api/v1/", token=TOKEN)
        self.provider = ProlificProvider(self.client, workspace_id=workspace.id, project_id=project.id)

    def cost(self, spec: HITSpec) -> Decimal:
        return self.provider.cost_of(reward=spec.reward, places=spec.max_assignments)

    def start(self, hit: str) -> tuple[str, str]:
        """Let somebody new take a place. Returns the submission and the participant."""
        person = self.stand_in.controls.add_participant()
        return self.stand_in.controls.take_part(hit, person), person

    def submit(self, hit: str, **answers: str) -> tuple[str, str]:
        submission, person = self.start(hit)
        self.stand_in.controls.finish(submission, code_of(SECRET, Ending.COMPLETED))
        return submission, person

    def reject(self, assignment: str) -> None:
        self.provider.reject_assignment(assignment, feedback=LONG)

    def hire(self, number: int) -> list[str]:
        return [self.stand_in.controls.add_participant() for _ in range(number)]

    def ask(self, qualification: str, workers: Iterable[str]) -> None:
        raise AssertionError("Nobody asks for a group.")

    def pass_test(self, qualification: str, values: Mapping[str, int]) -> None:
        for worker, value in values.items():
            self.provider.grant_qualification(qualification, worker_external_id=worker, value=value)

    def words_to(self, worker: str) -> str:
        raise AssertionError("No words go with a group.")
