"""Small models that learn some sentences and their frequencies. Training is repeatable on one machine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from transformers import BertConfig, BertForMaskedLM, BertTokenizer, GPT2Config, GPT2LMHeadModel
from transformers.utils import logging as transformers_logging

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MASK = "[MASK]"
# The most tokens that the models read: a sentence of the corpus, and a premise before a prompt.
POSITIONS = 64
WIDTH, DEPTH, HEADS = 64, 2, 2
STEPS = 500
# The causal model's passes read whole sentences, which takes longer and teaches more.
CAUSAL_STEPS = 120
RATE = 5e-3
SEED = 7
Sentences = Mapping[str, int]


def teach_masked(folder: Path, sentences: Sentences, *, vocabulary: Sequence[str]) -> None:
    """Train a BERT that fills the last word of each sentence's beginning as often as the sentences do."""
    tokenizer, tokens = _tokenizer(vocabulary)
    config = BertConfig(
        vocab_size=len(tokens),
        hidden_size=WIDTH,
        num_hidden_layers=DEPTH,
        num_attention_heads=HEADS,
        intermediate_size=2 * WIDTH,
        max_position_embeddings=POSITIONS,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    with _repeatable():
        model: Any = BertForMaskedLM(config)
        read, wanted = _gaps(tokenizer, tokens, sentences)
        gaps = read["input_ids"] == tokens[MASK]
        _teach(model, lambda: _surprise(model(**read).logits[gaps], wanted), steps=STEPS)
    _save(folder, tokenizer, model)


def teach_causal(folder: Path, sentences: Sentences, *, vocabulary: Sequence[str]) -> None:
    """Train a GPT to which a sentence is the less surprising, the more often it occurs."""
    tokenizer, tokens = _tokenizer(vocabulary)
    config = GPT2Config(
        vocab_size=len(tokens),
        n_embd=WIDTH,
        n_layer=DEPTH,
        n_head=HEADS,
        n_positions=POSITIONS,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=None,
        eos_token_id=None,
    )
    with _repeatable():
        model: Any = GPT2LMHeadModel(config)
        read = tokenizer(list(sentences), add_special_tokens=False, padding=True, return_tensors="pt")
        ids, real = read["input_ids"], read["attention_mask"]
        times = torch.tensor([float(sentences[one]) for one in sentences])
        shares = (times / times.sum())[:, None] * real[:, 1:]

        def loss() -> torch.Tensor:
            logs = model(input_ids=ids, attention_mask=real).logits[:, :-1].log_softmax(dim=-1)
            loss_of_all: torch.Tensor = -(logs.gather(-1, ids[:, 1:, None]).squeeze(-1) * shares).sum()
            return loss_of_all

        _teach(model, loss, steps=CAUSAL_STEPS)
    _save(folder, tokenizer, model)


def _save(folder: Path, *parts: Any) -> None:
    for part in parts:
        part.save_pretrained(folder)


def _tokenizer(vocabulary: Sequence[str]) -> tuple[Any, dict[str, int]]:
    tokens = {token: place for place, token in enumerate(dict.fromkeys([*SPECIAL, *vocabulary]))}
    return BertTokenizer(vocab=tokens, do_lower_case=False), tokens


def _gaps(tokenizer: Any, tokens: Mapping[str, int], sentences: Sentences) -> tuple[Any, torch.Tensor]:
    """Each beginning with a gap for its last word, and how often which word is the last one."""
    shares: dict[str, torch.Tensor] = {}
    for sentence, times in sentences.items():
        before, _, last = sentence.rpartition(" ")
        prompt = f"{before} {MASK}{last[-1]}"
        shares.setdefault(prompt, torch.zeros(len(tokens)))[tokens[last[:-1]]] += times
    read = tokenizer(list(shares), return_tensors="pt", padding=True)
    wanted = torch.stack([share / share.sum() for share in shares.values()])
    return read, wanted


def _surprise(logits: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    return -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1).mean()


def _teach(model: Any, loss: Callable[[], torch.Tensor], *, steps: int) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    slower = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    model.train()
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        slower.step()


@contextmanager
def _repeatable() -> Iterator[None]:
    """Train in one thread with a fixed seed, so that sums repeat; other code's random state is untouched."""
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED)
            yield
    finally:
        torch.set_num_threads(threads)
