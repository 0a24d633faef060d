"""One run of fine-tuning: which prompts a model learns from, which it is asked, and its answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from crowd.benchmarks.benchmark_tasks import Answer, ReleasedItem
from crowd.benchmarks.training_recipes import Measured, Parts, Run, Step, TrainingJob
from crowd.winoventi.challenge.prompt_benchmark import EXCEPTION, GENERIC
from crowd.winoventi.domain.evaluation import Split
from hits.core.errors import CrowdError
from scoring.services.model_loading import code_version
from scoring.services.training_models import TrainableMaskedModel, TrainingPlan, load_trainable

# Prompts that are asked together, between two looks up from the work.
AT_ONCE = 32
TESTING = "Asking it"


class Divide(Protocol):
    def __call__(self, pairs: Sequence[str], *, seed: int) -> Split: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPrompt:
    """A prompt with its two outcomes, the generic first, and the one that it calls for."""

    name: str
    pair: str
    kind: str
    text: str
    words: tuple[str, str]
    target: str
    is_hidden: bool


def run(job: TrainingJob, *, split: Divide) -> Run:
    """Divide the prompts, ask the untrained model, then train it and ask again after each epoch."""
    model = load_trainable(job.rival)
    read = [_read(item) for item in job.items()]
    prompts = [one for one in read if model.can_read(one.text, one.words)]
    train, tests = divide(prompts, split=split, seed=job.seed)
    unread = len(read) - len(prompts)
    names = {key: [one.name for one in some] for key, some in tests.items()}
    yield Parts(
        tests=names,
        counts={
            "prompts to learn from": len(train),
            **{key: len(some) for key, some in names.items()},
            **({"prompts that could not be read": unread} if unread else {}),
        },
    )
    tested = list({one.name: one for some in tests.values() for one in some}.values())
    plan = _plan(job)
    steps, done = plan.epochs * model.steps_of(len(train), plan), 0
    yield from _measure(model, tested, epoch=0, done=done, of=steps)
    epochs = 0
    for whole in model.train([(one.text, one.target) for one in train], plan):
        done += 1
        yield Step(done=done, of=steps, doing=f"Epoch {epochs + 1} of {plan.epochs}")
        if whole > epochs:
            epochs = whole
            yield from _measure(model, tested, epoch=epochs, done=done, of=steps)
    return {**model.provenance, "device": model.device, "code_version": code_version()}


def divide(
    prompts: Sequence[ReadPrompt], *, split: Divide, seed: int
) -> tuple[Sequence[ReadPrompt], Mapping[str, Sequence[ReadPrompt]]]:
    """Return the prompts to learn from, and those of each test.

    Pairs of a hidden split are added to each test whole: which of their prompts are asked tells nothing.
    """
    by_place = {(one.pair, one.kind): one for one in prompts}
    is_open = sorted({one.pair for one in prompts if not one.is_hidden})
    drawn = split(is_open, seed=seed)
    hidden = [one for one in prompts if one.is_hidden]
    kinds = {key: {kind for _, kind in some} for key, some in drawn.tests.items()}
    tests = {
        key: [
            *(by_place[place] for place in some if place in by_place),
            *(one for one in hidden if one.kind in kinds[key]),
        ]
        for key, some in drawn.tests.items()
    }
    train = [by_place[place] for place in drawn.train if place in by_place]
    if not train or not all(tests.values()):
        raise CrowdError(f"{len(is_open)} pairs are too few to be divided. Collect more of them.")
    return train, tests


def _read(item: ReleasedItem) -> ReadPrompt:
    row = item.row
    return ReadPrompt(
        name=item.name,
        pair=str(row["pair"]),
        kind=row["test_type"],
        text=row["masked_prompt"],
        words=(row[GENERIC], row[EXCEPTION]),
        target=row["target"],
        is_hidden=item.is_hidden,
    )


def _plan(job: TrainingJob) -> TrainingPlan:
    return TrainingPlan(
        epochs=int(job.settings["epochs"]),
        batch_size=int(job.settings["batch_size"]),
        learning_rate=job.settings["learning_rate"],
        mask_share=job.settings["mask_share"] / 100,
        seed=job.seed,
    )


def _measure(
    model: TrainableMaskedModel, prompts: Sequence[ReadPrompt], *, epoch: int, done: int, of: int
) -> Iterator[Step | Measured]:
    """Ask how probable both outcomes of each prompt are, the generic first."""
    answers: dict[str, Answer] = {}
    for start in range(0, len(prompts), AT_ONCE):
        some = prompts[start : start + AT_ONCE]
        found: Any = model.probabilities([(one.text, one.words) for one in some])
        for one, (generic, exception) in zip(some, found, strict=True):
            answers[one.name] = [generic.probability, exception.probability]
        yield Step(done=done, of=of, doing=f"{TESTING} after epoch {epoch}" if epoch else TESTING)
    yield Measured(epoch=epoch, answers=answers)
