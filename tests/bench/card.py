"""A rival on a card, half precision against single: python -m tests.bench.card --json

Architectures of full size with random weights from a seed, since no published ones can be had everywhere.
Without a card it says so and computes on the processor, in single precision alone. It needs scoring's
libraries and no database: tests.bench.rival and tests.bench.verdicts measure the services around a model.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import open_clip
import torch

from scoring.domain import best
from scoring.rivals import Picture, Spec, Vectors, cosines, load, load_scorer
from scoring.rivals.devices import device_of, name_of
from tests.bench import mlm
from tests.scoring.small_models import draw

SYLLABLES = ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te")
PICTURES = 512
CUES = 4096
CANDIDATES, K = 10, 2
PROMPTS = 2048
RUNS = 3
PRECISIONS = {"fp16": "float16", "fp32": "float32"}


def main() -> None:
    parser = argparse.ArgumentParser(description="A rival on a card.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--small", action="store_true", help="a sixteenth of everything, for a processor")
    parser.add_argument("--clips", nargs="*", default=["RN50", "ViT-B-32", "ViT-L-14"])
    options = parser.parse_args()
    share = 16 if options.small else 1
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), clips=options.clips, share=share)
    print(json.dumps(found) if options.json else json.dumps(found, indent=1))  # noqa: T201


def measure(folder: Path, *, clips: Sequence[str], share: int) -> dict[str, Any]:
    device = device_of({})
    precisions = list(PRECISIONS) if device.type == "cuda" else ["fp32"]
    pictures = [
        draw(folder / f"{number}.png", seed=number, size=(640, 480)) for number in range(PICTURES // share)
    ]
    cues = [word(number) for number in range(CUES // share)]
    found: dict[str, Any] = {"device": name_of(device), "torch": torch.__version__}
    for model in clips:
        path = save_random(folder / "clip.pt", model)
        runs = {one: of_clip(model, path, one, cues, pictures) for one in precisions}
        told = {one: figures for one, (figures, _) in runs.items()}
        found[model] = {**told, **compared({one: made for one, (_, made) in runs.items()})}
    found["BERT-base"] = of_masked(folder, precisions, count=PROMPTS // share)
    return found


def word(number: int) -> str:
    """A distinct word for each number, of two or three tokens as cues are."""
    first, rest = divmod(number, len(SYLLABLES) ** 2)
    second, third = divmod(rest, len(SYLLABLES))
    return f"{SYLLABLES[second]}{SYLLABLES[third]}{f'x{first}' if first else ''}"


def save_random(path: Path, model: str) -> Path:
    torch.manual_seed(1)
    torch.save(open_clip.create_model(model).state_dict(), path)
    return path


def of_clip(
    model: str, path: Path, precision: str, cues: Sequence[str], pictures: Sequence[Picture]
) -> tuple[dict[str, float], list[list[int]]]:
    """Throughput of the CLIP model per second, and the pictures that it chose for each cue."""
    options = {"precision": precision, "batch_size": 64}
    rival: Any = load_scorer(Spec(name=model, kind="clip", model=model, path=path, options=options))
    prompts = [rival.prompt(cue) for cue in cues]
    seen, whole_s = timed(lambda: rival.embed_pictures(pictures), runs=1)
    pixels = torch.stack([rival._pixels_of(one) for one in pictures[:64]])
    _, tower_s = timed(lambda: rival._embed([rival._model.encode_image(pixels.to(**rival._where))]))
    _, texts_s = timed(lambda: rival.embed_texts(prompts))
    chosen, verdicts_s = timed(lambda: choose(rival, prompts, seen))
    return {
        "pictures_s": round(len(pictures) / whole_s),
        "pictures_prepared_s": round(len(pixels) / tower_s),
        "texts_s": round(len(prompts) / texts_s),
        "verdicts_s": round(len(prompts) / verdicts_s),
    }, chosen


def choose(rival: Any, prompts: Sequence[str], seen: Vectors) -> list[list[int]]:
    """Choose as a rival's worker does: the texts are embedded again, the pictures' vectors are at hand."""
    chosen = []
    for place, text in enumerate(rival.embed_texts(prompts)):
        shown = list(islice(cycle(range(len(seen))), place % len(seen), place % len(seen) + CANDIDATES))
        chosen.append(sorted(shown[one] for one in best(cosines(text, seen[shown]), k=K)))
    return chosen


def compared(made: dict[str, list[list[int]]]) -> dict[str, float]:
    """The share of cues for which half precision chooses what single precision does."""
    if len(made) < 2:
        return {}
    half, single = made["fp16"], made["fp32"]
    equal = sum(one == other for one, other in zip(half, single, strict=True))
    return {"same_choice": round(equal / len(half), 4)}


def of_masked(folder: Path, precisions: Sequence[str], *, count: int) -> dict[str, Any]:
    mlm.save_random(folder / "base")
    prompts = [f"The w{number} is [MASK]." for number in range(count)]
    found: dict[str, Any] = {}
    words = {}
    for one in precisions:
        options = {"dtype": PRECISIONS[one], "batch_size": 128}
        model: Any = load(Spec(name="base", kind="masked", path=folder / "base", options=options))
        words[one], seconds = timed(partial(model.top_words, prompts, k=mlm.K))
        found[one] = {"prompts_s": round(count / seconds)}
    if len(words) > 1:
        firsts = {one: [best_of[0].text for best_of in given] for one, given in words.items()}
        equal = sum(one == other for one, other in zip(*firsts.values(), strict=True))
        found["same_first_word"] = round(equal / count, 4)
    return found


def timed(act: Callable[[], Any], *, runs: int = RUNS) -> tuple[Any, float]:
    """Return the last result and the median seconds, without a first run. The result has left the card."""
    found, taken = act(), []
    for _ in range(runs):
        began = time.perf_counter()
        found = act()
        taken.append(time.perf_counter() - began)
    return found, statistics.median(taken)


if __name__ == "__main__":
    main()
