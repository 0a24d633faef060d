"""A model measured on a release, one question at a time and ours: python -m tests.bench.evaluating --json

Caption matching with a CLIP of ViT-B-32 with random weights, on the processor. The reference asks for one
combination of a caption and an image at a time: it opens the image, encodes both, and takes their cosine.
Ours is the whole way: a benchmark on a release, its questions stored, answered in batches from kept vectors,
its rows and sums written. Both must give the same scores to five digits.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.in_process import product

EXAMPLES = 30
CLOSE = 1e-5
MODEL = "ViT-B-32"


def main() -> None:
    parser = argparse.ArgumentParser(description="One combination at a time against a benchmark.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--examples", type=int, default=EXAMPLES)
    options = parser.parse_args()
    with product(), tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), examples=options.examples)
    if options.json:
        print(json.dumps(found))  # noqa: T201
    else:
        for name, value in found.items():
            print(f"{name:>24} {value}")  # noqa: T201
    if not found["same_results"]:
        sys.exit("The results differ.")


def measure(folder: Path, *, examples: int) -> dict[str, Any]:
    import open_clip  # noqa: PLC0415 - after the settings
    import torch  # noqa: PLC0415

    torch.manual_seed(1)
    torch.save(open_clip.create_model(MODEL).eval().state_dict(), folder / "weights.pt")
    benchmark, rival = make_benchmark(examples=examples), register(folder)
    began = time.perf_counter()
    ours = ask_ours(benchmark, rival)
    ours_s = time.perf_counter() - began
    began = time.perf_counter()
    theirs = ask_one_at_a_time(benchmark, folder)
    theirs_s = time.perf_counter() - began
    gaps = [abs(a - b) for item in theirs for a, b in zip(theirs[item], ours[item], strict=True)]
    return {
        "examples": examples,
        "one_at_a_time_per_s": round(examples / theirs_s, 2),
        "ours_per_s": round(examples / ours_s, 2),
        "ratio": round(theirs_s / ours_s, 2),
        "largest_difference": max(gaps),
        "same_results": theirs.keys() == ours.keys() and max(gaps) < CLOSE,
        "threads": torch.get_num_threads(),
    }


def make_benchmark(*, examples: int) -> Any:
    from tests.crowd.benchmarks import making  # noqa: PLC0415

    return making.make_benchmark("winoground", items=examples)


def register(folder: Path) -> Any:
    from django.conf import settings  # noqa: PLC0415

    from scoring import rivals  # noqa: PLC0415
    from scoring.models import RegisteredRival  # noqa: PLC0415
    from tests.factories import NOW  # noqa: PLC0415

    settings.WEIGHTS_DIR = folder
    return RegisteredRival.objects.create(
        name="clip",
        kind="clip",
        model=MODEL,
        path="weights.pt",
        weights_sha256=rivals.digest(folder / "weights.pt"),
        options={"device": "cpu"},
        added_at=NOW,
    )


def ask_ours(benchmark: Any, rival: Any) -> dict[str, list[float]]:
    from crowd.benchmarks.services import benchmark_results  # noqa: PLC0415
    from scoring.services.answering_questions import answer_questions  # noqa: PLC0415
    from tests.factories import NOW, make_user  # noqa: PLC0415

    result = benchmark_results.ask_model(benchmark=benchmark, rival=rival, by=make_user(), now=NOW)
    while result.status == "open":
        benchmark_results.answer_benchmarks(now=NOW)
        answer_questions(clock=lambda: NOW)
        result.refresh_from_db()
    return {item: answer for item, answer in result.items.values_list("item", "answer") if answer}


def ask_one_at_a_time(benchmark: Any, folder: Path) -> dict[str, list[float]]:
    import open_clip  # noqa: PLC0415
    import torch  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415

    from crowd.pictures.models import Picture  # noqa: PLC0415

    model, _, prepare = open_clip.create_model_and_transforms(MODEL)
    model.load_state_dict(torch.load(folder / "weights.pt"))
    model.eval()
    tokenize = open_clip.get_tokenizer(MODEL)

    def score(caption: str, digest: str) -> float:
        picture = Picture.objects.get(sha256=digest)
        with torch.inference_mode(), Image.open(picture.file.path) as image:
            seen = model.encode_image(prepare(image).unsqueeze(0))
            read = model.encode_text(tokenize([caption]))
        return float(torch.nn.functional.cosine_similarity(seen.double(), read.double())[0])

    rows = map(json.loads, (benchmark.release.frozen / "full.jsonl").read_text().splitlines())
    return {
        row["example"]: [
            score(row[f"caption_{caption}"], row[f"image_{image}_sha256"])
            for caption in (0, 1)
            for image in (0, 1)
        ]
        for row in rows
    }


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main()
