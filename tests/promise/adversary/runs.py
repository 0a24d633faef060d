"""One run: a known beginning, seconds of life and harm, a healthy end, and the count of both sides."""

import threading
import time
from collections import Counter
from contextlib import suppress
from typing import Any

from tests.config.processes import wait_until
from tests.promise.adversary.harms import Harm
from tests.promise.adversary.plans import Plan, Step, plan_run
from tests.promise.adversary.proxy import Lie
from tests.promise.adversary.stage import LOOK_S, Hand, Stage

HEALTHY_S = 40
# Rows that the background process can still work on at this moment.
UNTOLD = (
    "SELECT (SELECT count(*) FROM hits_change WHERE status = 'intended')"
    " + (SELECT count(*) FROM hits_bonus WHERE status = 'approved')"
    " + (SELECT count(*) FROM hits_batch WHERE status = 'launching')"
)


def play_run(*, stage: Stage, seed: int, seconds: float, form: str) -> dict[str, Any]:
    began = time.monotonic()
    plan = plan_run(seed=seed, seconds=seconds, form=form)
    stage.begin_anew()
    hand = Hand(stage.environ, stage.folder / "hand.log")
    try:
        stage.wait_until_well()
        opened = begin_life(hand, stage=stage, seed=seed)
        harm = Harm(stage)
        shrugs = be_harmed(plan, stage=stage, hand=hand, harm=harm, seconds=seconds)
        end_well(stage)
        people = came(hand.do("settle"))
        found = came(hand.do("compare", is_restored=harm.done["restored"] > 0))
    finally:
        hand.end()
    return {
        "seed": seed,
        "form": form,
        "faults": dict(sorted((harm.done + stage.proxy.told).items())),
        "kills": dict(sorted(harm.killed.items())),
        "died": dict(sorted(stage.died.items())),
        "calls": stage.proxy.calls,
        "waiting_at_first": opened,
        "shrugs": dict(sorted(shrugs.items())),
        "people": people,
        "differences": found["count"],
        "shown": found["shown"],
        "rows": found["rows"],
        "seconds": round(time.monotonic() - began, 1),
    }


def came(answer: dict[str, Any]) -> Any:
    """The result of an act that must not fail, because nothing is wrong yet."""
    assert "came" in answer, answer
    return answer["came"]


def begin_life(hand: Hand, *, stage: Stage, seed: int) -> int:
    came(hand.do("begin", endpoint=stage.proxy.url, seed=seed))
    opened: int = came(hand.do("open_with_work"))
    return opened


def be_harmed(plan: Plan, *, stage: Stage, hand: Hand, harm: Harm, seconds: float) -> Counter[str]:
    """Run people's acts and the harm at once. Returns the failures that people met, by kind."""
    began, is_over = time.monotonic(), threading.Event()
    harming = [
        threading.Thread(target=follow, args=(plan.lies, began, lambda step: tell(stage, step)), daemon=True),
        threading.Thread(
            target=follow,
            args=(plan.harms, began, lambda step: harm.do(step.what, **step.given)),
            daemon=True,
        ),
        threading.Thread(target=mind, args=(stage, is_over), daemon=True),
    ]
    for thread in harming:
        thread.start()
    shrugs: Counter[str] = Counter()
    for step in plan.acts:
        _sleep_until(began + step.at_s)
        if time.monotonic() - began > seconds:
            break
        if problem := hand.do(step.what, **step.given).get("problem"):
            shrugs[problem.partition(":")[0]] += 1
            with (stage.folder / "shrugs.log").open("a") as log:
                log.write(f"{step} {problem}\n")
    for thread in harming[:2]:
        thread.join()
    is_over.set()
    harming[2].join()
    harm.end()
    stage.proxy.calm()
    return shrugs


def follow(steps: list[Step], began: float, act: Any) -> None:
    for step in steps:
        _sleep_until(began + step.at_s)
        act(step)


def tell(stage: Stage, step: Step) -> None:
    stage.proxy.lie(Lie(kind=step.what, **step.given))


def mind(stage: Stage, is_over: threading.Event) -> None:
    while not is_over.wait(LOOK_S):
        stage.mind()


def end_well(stage: Stage) -> None:
    """Start everything healthy, and let it work for as long as it has something to do, within limits."""
    stage.kill_ours()
    stage.start_ours()
    stage.wait_until_well()
    with suppress(AssertionError):  # what is left needs hours, or a person
        wait_until(lambda: stage.count(UNTOLD) == 0, seconds=HEALTHY_S / 4, what="nothing is left to tell")
    stage.kill_ours()


def _sleep_until(moment: float) -> None:
    time.sleep(max(0, moment - time.monotonic()))
