"""One create HIT of two cues and ten pictures, the authors' way and ours: python -m tests.bench.rival --json

RN50 with random weights from a seed, on the processor, in one run. The authors' way opens and encodes each
picture for each cue, one by one, and all 77 places of the text. Ours reads the vectors of the pool, which
were computed when the pictures entered, and the text up to its end. The limit is the text tower, once for
both cues, and some queries. Cues of the vocabulary, whose vectors were computed beforehand too, are answered
where they are stored. All answer from the same files and weights, and must rank alike.

--words FILE, with one word in each line, tells what share of the recorded cues a vocabulary of them holds.
"""

import argparse
import csv
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.in_process import product
from tests.bench.servers import ROOT

CUES = ("vineyard", "umbrella")
PICTURES = 10
POOL = 3000
RUNS = 7
RECORDED = ROOT.parent / "shared" / "data" / "winogavil" / "associations.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description="The authors' way against ours.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--pool", type=int, default=POOL)
    parser.add_argument("--words", type=Path)
    options = parser.parse_args()
    with product(), tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), runs=options.runs, pool=options.pool)
    if options.words:
        found["recorded_cues_in_vocabulary"] = share_held(options.words)
    if options.json:
        print(json.dumps(found))  # noqa: T201
    else:
        for name, value in found.items():
            print(f"{name:>24} {value}")  # noqa: T201
    if not found["rankings_equal"]:
        sys.exit("The rankings differ.")


def measure(folder: Path, *, runs: int, pool: int) -> dict[str, Any]:
    import open_clip  # noqa: PLC0415 - after the settings
    import torch  # noqa: PLC0415

    weights = save_random(folder / "rn50.pt", open_clip=open_clip, torch=torch)
    pictures = save_pictures(folder)
    reference = make_reference(weights, open_clip=open_clip, torch=torch)
    ours, known, warm_s = make_ours(weights, pictures, pool=pool)
    theirs_s, theirs = timed(lambda: [reference(cue, pictures) for cue in CUES], runs=max(2, runs // 2))
    ours_s, mine = timed(ours, runs=runs)
    known_s, of_known = timed(known, runs=5 * runs)
    return {
        "reference_s": round(theirs_s, 4),
        "ours_s": round(ours_s, 5),
        "ratio": round(theirs_s / ours_s, 1),
        "vocabulary_s": round(known_s, 5),
        "vocabulary_ratio": round(theirs_s / known_s, 1),
        "rankings_equal": theirs == mine == of_known,
        "pool": pool,
        "pool_loads_in_s": round(warm_s, 3),
        "threads": torch.get_num_threads(),
    }


def share_held(words: Path) -> float | None:
    """The share of the recorded cues that a vocabulary of these words holds; None without the recording."""
    from django.conf import settings  # noqa: PLC0415 - after the settings

    if not RECORDED.is_file():
        return None
    vocabulary = set(words.read_text(encoding="utf-8").split("\n")[: settings.VOCABULARY])
    with RECORDED.open(encoding="utf-8", newline="") as lines:
        cues = {row["cue"].strip().lower() for row in csv.DictReader(lines)}
    return round(len(cues & vocabulary) / len(cues), 3)


def timed(act: Callable[[], Any], *, runs: int) -> tuple[float, Any]:
    """Return the median seconds and the last result, without a first run that is not counted."""
    found = act()
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        found = act()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken), found


def save_random(path: Path, *, open_clip: Any, torch: Any) -> Path:
    torch.manual_seed(1)
    torch.save(open_clip.create_model("RN50").state_dict(), path)
    return path


def save_pictures(folder: Path) -> list[Path]:
    """Save pictures of noise in a photograph's size, each different."""
    import numpy as np  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415

    paths = []
    for number in range(PICTURES):
        pixels = np.random.default_rng(number).integers(0, 255, (12, 16, 3), dtype=np.uint8)
        path = folder / f"{number}.jpg"
        Image.fromarray(pixels).resize((640, 480)).save(path, quality=90)
        paths.append(path)
    return paths


def make_reference(weights: Path, *, open_clip: Any, torch: Any) -> Callable[[str, list[Path]], list[int]]:
    """The reference as the authors describe it: each cue prepares and encodes each picture by itself."""
    from PIL import Image  # noqa: PLC0415

    model, _, prepare = open_clip.create_model_and_transforms("RN50", pretrained=str(weights))
    model.eval()
    tokenizer = open_clip.get_tokenizer("RN50")

    def rank(cue: str, pictures: list[Path]) -> list[int]:
        article = "An" if cue[0] in "aeiou" else "A"
        with torch.no_grad():
            text = model.encode_text(tokenizer([f"{article} {cue}"]))
            text = text / text.norm(dim=-1, keepdim=True)
            scores = []
            for path in pictures:
                seen = model.encode_image(prepare(Image.open(path)).unsqueeze(0))
                seen = seen / seen.norm(dim=-1, keepdim=True)
                scores.append(float(seen @ text.T))
        return sorted(range(len(scores)), key=lambda place: -scores[place])

    return rank


def make_ours(
    weights: Path, pictures: list[Path], *, pool: int
) -> tuple[Callable[[], list[list[int]]], Callable[[], list[list[int]]], float]:
    """Our way through the services and the database, from the stored query to the stored verdict.

    Returned are: asking words that are new, asking words of the vocabulary, and seconds of loading a pool.
    """
    from hashlib import sha256  # noqa: PLC0415

    from django.conf import settings  # noqa: PLC0415
    from django.db import transaction  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from scoring.models import RegisteredRival, Verdict  # noqa: PLC0415
    from scoring.services import asking_rivals, embedding, embedding_backfill, fetching, rival_answers  # noqa: PLC0415
    from scoring.services.rival_pool import Entering, enter_pool  # noqa: PLC0415
    from scoring.services.vocabulary import learn_words  # noqa: PLC0415
    from tests.factories import make_study  # noqa: PLC0415

    settings.MEDIA_ROOT = str(pictures[0].parent)
    settings.WEIGHTS_DIR = weights.parent / "weights"
    study = make_study()
    kind = RegisteredRival.Kind.CLIP
    wanted = fetching.WantedModel(name="rn50", kind=kind, model="RN50", source=weights, options={})
    rival = fetching.fetch_rival(wanted=wanted, now=timezone.now())
    settings.RIVAL = rival.name
    digests = [sha256(path.read_bytes()).hexdigest() for path in pictures]
    enter_pool(
        [
            Entering(sha256=digest, path=path.name, caption="")
            for digest, path in zip(digests, pictures, strict=True)
        ]
    )
    embedding_backfill.fill_pools()
    warm_s = time_loading(rival, pool=pool, embedding=embedding)
    shown = [asking_rivals.ShownPicture(sha256=digest, caption="") for digest in digests]
    spent = iter(range(1, 10**6))

    def ask_both(blanks: str) -> list[list[int]]:
        news = [
            asking_rivals.NewRivalQuery(text=f"{cue}{blanks}"[:100], pictures=shown, chosen=[0, 1])
            for cue in CUES
        ]
        with transaction.atomic():  # as a page's request has it
            rival_queries = asking_rivals.put_rival_queries(
                news, study=study, urgent=True, now=timezone.now()
            )
        if blanks:
            rival_answers.answer_waiting()
        verdicts = {
            one.rival_query_id: one
            for one in Verdict.objects.filter(rival_query__in=rival_queries, rival=rival)
        }
        found = [verdicts[rival_query.pk].scores for rival_query in rival_queries]
        return [sorted(range(len(scores)), key=lambda place: -scores[place]) for scores in found]

    learn_words(CUES)
    embedding_backfill.read_vocabularies()
    # One more blank each time makes another prompt of the same tokens: none is answered from memory.
    return lambda: ask_both(" " * next(spent)), lambda: ask_both(""), warm_s


def time_loading(rival: Any, *, pool: int, embedding: Any) -> float:
    """Seconds in which a process that has no vectors in memory reads a pool of this many."""
    import numpy as np  # noqa: PLC0415

    from scoring.models import Vector  # noqa: PLC0415
    from scoring.services.model_loading import load_rival  # noqa: PLC0415

    loaded = load_rival(rival)
    values = np.random.default_rng(1).standard_normal((pool, 1024)).astype("<f4")
    Vector.objects.bulk_create(
        [
            Vector(space=loaded.space, of="picture", content_sha256=f"{number:064x}", values=one.tobytes())
            for number, one in enumerate(values)
        ],
        batch_size=500,
    )
    embedding._memory.clear()
    began = time.perf_counter()
    embedding.warm(rival)
    return time.perf_counter() - began


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main()
