"""Steps 1 and 3 of the exception procedure, one prompt at a time and ours: python -m tests.bench.mlm --json

A BERT of base size with random weights from a seed, on the processor. The reference is plain transformers:
every prompt is read, passed through the model and ranked by itself. Ours goes through the queue: questions
are stored, answered in batches, and their answers stored with their provenance. Both must give the same
words in the same order, and probabilities that differ by less than a ten-thousandth of themselves.
"""

import argparse
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

NOUNS = 100
RUNS = 3
K = 8
CLOSE = 1e-4
MASK = "[MASK]"
WORDS = 28_000
PIECES = 900
# Step 1 has four prompts of each noun, step 3 has the first of them again, with two words to score.
TEMPLATES = ("The {} is [MASK].", "The {} is not [MASK].", "The {} is [MASK],", "The {} is not [MASK],")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
Found = list[list[tuple[str, float]]]


def main() -> None:
    parser = argparse.ArgumentParser(description="One prompt at a time against batches.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--nouns", type=int, default=NOUNS)
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    with product(), tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), nouns=options.nouns, runs=options.runs)
    if options.json:
        print(json.dumps(found))  # noqa: T201
    else:
        for name, value in found.items():
            print(f"{name:>20} {value}")  # noqa: T201
    if not found["same_results"]:
        sys.exit("The results differ.")


def measure(folder: Path, *, nouns: int, runs: int) -> dict[str, Any]:
    import torch  # noqa: PLC0415 - after the settings

    save_random(folder / "base")
    names = [noun_of(number) for number in range(nouns)]
    prompts = [template.format(name) for name in names for template in TEMPLATES]
    # One word in ten has several pieces, as among the recorded exceptions.
    questions = [
        (TEMPLATES[0].format(name), [f"w{number}", f"w{number + 1}p{number}" if number % 10 == 0 else "w7"])
        for number, name in enumerate(names)
    ]
    reference, ours = make_reference(folder / "base"), make_ours(folder)
    taken: dict[str, list[float]] = {"reference": [], "ours": []}
    same = True
    # The first round is not counted, and the two take turns: what else the machine does hits both.
    for round_ in range(runs + 1):
        theirs, theirs_s = timed(lambda: reference(prompts, questions))
        mine, mine_s = timed(lambda: ours(prompts, questions))
        same = same and are_same(theirs, mine)
        if round_:
            taken["reference"].append(theirs_s)
            taken["ours"].append(mine_s)
    reference_s, ours_s = (statistics.median(taken[name]) for name in ("reference", "ours"))
    return {
        "reference_s": round(reference_s, 3),
        "ours_s": round(ours_s, 3),
        "ratio": round(reference_s / ours_s, 2),
        "same_results": same,
        "prompts": len(prompts) + len(questions),
        "reference_ms_each": round(1000 * reference_s / (len(prompts) + len(questions)), 2),
        "ours_ms_each": round(1000 * ours_s / (len(prompts) + len(questions)), 2),
        "threads": torch.get_num_threads(),
    }


def timed(act: Callable[[], Found]) -> tuple[Found, float]:
    began = time.perf_counter()
    found = act()
    return found, time.perf_counter() - began


def noun_of(number: int) -> str:
    """A distinct noun for each number. Every third one is read as two tokens."""
    return f"w{100 + number}p{number}" if number % 3 == 0 else f"w{100 + number}"


def save_random(folder: Path) -> None:
    import torch  # noqa: PLC0415
    from transformers import BertConfig, BertForMaskedLM, BertTokenizer  # noqa: PLC0415

    tokens = [*SPECIAL, "The", "is", "not", ".", ","]
    tokens += [f"w{number}" for number in range(WORDS)] + [f"##p{number}" for number in range(PIECES)]
    tokenizer: Any = BertTokenizer(
        vocab={token: place for place, token in enumerate(tokens)}, do_lower_case=False
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    BertForMaskedLM(BertConfig(vocab_size=len(tokens))).save_pretrained(folder)


def make_reference(folder: Path) -> Callable[[list[str], list[tuple[str, list[str]]]], Found]:
    import torch  # noqa: PLC0415
    from transformers import AutoModelForMaskedLM, AutoTokenizer  # noqa: PLC0415

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForMaskedLM.from_pretrained(folder).eval()
    tokens = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    whole = torch.tensor([not token.startswith(("##", "[")) and len(token) > 1 for token in tokens])

    def at_masks(prompt: str) -> Any:
        read = tokenizer(prompt, return_tensors="pt")
        with torch.no_grad():
            logits = model(**read).logits[0]
        return logits[read["input_ids"][0] == tokenizer.mask_token_id].softmax(dim=-1)

    def best(prompt: str) -> list[tuple[str, float]]:
        values, places = (at_masks(prompt)[0] * whole).topk(K)
        return [(tokens[place], value) for place, value in zip(places.tolist(), values.tolist(), strict=True)]

    def probability(prompt: str, pieces: list[int], known: dict[int, Any]) -> float:
        masks = len(pieces)
        if masks not in known:
            known[masks] = at_masks(prompt.replace(MASK, MASK * masks))
        found = torch.stack([row[piece] for row, piece in zip(known[masks], pieces, strict=True)])
        return float(found.double().log().mean().exp())

    def scored(prompt: str, words: list[str]) -> list[tuple[str, float]]:
        known: dict[int, Any] = {}
        pieces = [tokenizer(word, add_special_tokens=False)["input_ids"] for word in words]
        return [(word, probability(prompt, one, known)) for word, one in zip(words, pieces, strict=True)]

    def answer(prompts: list[str], questions: list[tuple[str, list[str]]]) -> Found:
        return [best(prompt) for prompt in prompts] + [scored(*question) for question in questions]

    return answer


def make_ours(folder: Path) -> Callable[[list[str], list[tuple[str, list[str]]]], Found]:
    from django.conf import settings  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from scoring import rivals  # noqa: PLC0415
    from scoring.models import RegisteredRival  # noqa: PLC0415
    from scoring.models.model_questions import ModelQuestion  # noqa: PLC0415
    from scoring.services import answering_questions, asking_models  # noqa: PLC0415

    settings.WEIGHTS_DIR = folder
    rival = RegisteredRival.objects.create(
        name="base",
        kind="masked",
        path="base",
        weights_sha256=rivals.digest(folder / "base"),
        options={"device": "cpu"},
        added_at=timezone.now(),
    )

    def answer(prompts: list[str], questions: list[tuple[str, list[str]]]) -> Found:
        # An answer is never computed again; here it has to be.
        ModelQuestion.objects.all().delete()
        asked = [asking_models.top_words(prompt, k=K) for prompt in prompts]
        asked += [asking_models.probabilities(prompt, words) for prompt, words in questions]
        asking_models.ask_questions(asked, rival=rival, now=timezone.now())
        while answering_questions.answer_questions():
            pass
        rows = asking_models.find_questions(asked, rival=rival)
        return [[(word["word"], word["p"]) for word in rows[one.key].output] for one in asked]

    return answer


def are_same(theirs: Found, mine: Found) -> bool:
    return len(theirs) == len(mine) and all(
        [word for word, _ in one] == [word for word, _ in other]
        and all(abs(a - b) <= CLOSE * a for (_, a), (_, b) in zip(one, other, strict=True))
        for one, other in zip(theirs, mine, strict=True)
    )


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main()
