"""Recipes of training: how a registered model is trained on items of a release, and measured on others."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from crowd.benchmarks.benchmark_tasks import Answer, ReleasedItem
from hits.core.errors import CrowdError
from scoring.models import RegisteredRival

_recipes: dict[tuple[str, str, str], "TrainingRecipe"] = {}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A number that a recipe takes. `default` is the paper's, or ours where the paper says nothing."""

    key: str
    label: str
    help: str
    default: float
    least: float
    most: float
    is_whole: bool = True

    def read(self, value: Any) -> float:
        """Return the number. Raises ValueError with what to correct."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not self.least <= value <= self.most or (self.is_whole and value % 1):
            kind = "a whole number" if self.is_whole else "a number"
            raise ValueError(f"{self.label} must be {kind} from {self.least} to {self.most}.")
        return int(value) if self.is_whole else value


@dataclass(frozen=True, kw_only=True)
class TrainingJob:
    """One run: a model, settings and a seed, from which all follows. `items` reads them from the disk."""

    rival: RegisteredRival
    settings: Mapping[str, float]
    seed: int
    items: Callable[[], Iterator[ReleasedItem]]


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The names of the items of each test, and in numbers what the model learns from.

    An item of a hidden split is never learned from, nor is anything chosen by it.
    """

    tests: Mapping[str, Collection[str]]
    counts: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Step:
    """How far a run is. It can be left alone for a moment after each."""

    done: int
    of: int
    doing: str


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The answers to all items of the tests after so many epochs; after none the untrained model's."""

    epoch: int
    answers: Mapping[str, Answer]


@dataclass(frozen=True, kw_only=True)
class Test:
    """Some of the items that a run is measured on. `is_watched`: it is told epoch by epoch alone."""

    key: str
    title: str
    is_watched: bool = False


# A run yields its parts first, then answers of the untrained model, and those after each epoch, with steps in
# between. It returns the provenance of the trained model.
Run = Generator[Parts | Step | Measured, None, Mapping[str, Any]]


class TrainingRecipe(ABC):
    """One way of training, of one task of benchmarks whose measures each answer has."""

    family: ClassVar[str]
    # The key of the task whose items it takes.
    task: ClassVar[str]
    key: ClassVar[str]
    name: ClassVar[str]
    # What is trained on what, for whoever starts one.
    about: ClassVar[str]
    # The kinds of registered models that it can start from.
    kinds: ClassVar[Sequence[str]]
    settings: ClassVar[Sequence[Setting]]
    # The number of runs unless another is chosen, each with a seed of its own.
    seeds: ClassVar[int]
    tests: ClassVar[Sequence[Test]]
    # What is said below its table, such as how the paper's differs.
    note: ClassVar[str] = ""

    @abstractmethod
    def run(self, job: TrainingJob) -> Run:
        """Train one model. Raises CrowdError with what to do where there is too little to learn from."""

    def read_settings(self, values: Mapping[str, Any]) -> dict[str, float]:
        """Return all settings, by default where none is given. Raises ValueError with what to correct."""
        known = {setting.key: setting for setting in self.settings}
        if strangers := sorted(values.keys() - known.keys()):
            raise ValueError(f"There is no setting {strangers[0]}. There is {', '.join(known)}.")
        return {
            key: setting.read(values[key]) if key in values else setting.default
            for key, setting in known.items()
        }


def register(recipe: TrainingRecipe) -> None:
    """Register a recipe. Called from an AppConfig.ready of the family."""
    _recipes[recipe.family, recipe.task, recipe.key] = recipe


def recipes_for(family: str, task: str) -> Sequence[TrainingRecipe]:
    return [one for (of, on, _), one in _recipes.items() if (of, on) == (family, task)]


def get(family: str, task: str, key: str) -> TrainingRecipe:
    """Raises CrowdError for a recipe that is not registered."""
    if (family, task, key) not in _recipes:
        raise CrowdError(f"There is no recipe {key!r} of {family!r}.")
    return _recipes[family, task, key]
