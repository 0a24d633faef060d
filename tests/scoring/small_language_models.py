"""Language models of a few kilobytes: random, the same each time, ignorant and quick."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    AlbertTokenizer,
    BertConfig,
    BertForMaskedLM,
    BertTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    GPT2Tokenizer,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaTokenizer,
)

from scoring.rivals.interface import Spec

# Wide enough that a random model's probabilities are far apart.
SPREAD = 0.5
SIZES: Mapping[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "initializer_range": SPREAD,
}
# The pieces are inedible = in ##edible and cardboard = card ##bo ##ard; a hedgehog is unknown.
WORDPIECES = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused1]", "[unused2]", ".", ",", "a", "##s", "the"),
    *(
        "is",
        "not",
        "apple",
        "car",
        "red",
        "hot",
        "sweet",
        "edible",
        "in",
        "##edible",
        "card",
        "##bo",
        "##ard",
    ),
    *("rotten", "x1", "zeke", "says", "that", "long", "very"),
]
# Words of this text become one piece each after a blank; others fall apart.
CORPUS = [
    "the apple is red",
    "the apple is not sweet",
    "the car is hot",
    "zeke says that the apple is rotten",
    "the pepper is hot and the apple is edible",
] * 20
UNIGRAMS = [
    *("▁the", "▁is", "▁not", "▁apple", "▁car", "▁red", "▁hot", "▁sweet", "▁edible", "▁in", "edible", "▁card"),
    *("board", "▁a", "s", ".", ",", "▁", "▁rotten", "▁zeke", "▁says", "▁that", "▁very"),
]


@contextmanager
def one_thread() -> Iterator[None]:
    """Run on one thread: the threads of models this small would only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def spec_of(folder: Path, kind: str, **options: Any) -> Spec:
    return Spec(name="small", kind=kind, model="a test's own", path=folder, options=options)


def save_bert(folder: Path) -> None:
    vocabulary = {piece: place for place, piece in enumerate(WORDPIECES)}
    BertTokenizer(vocab=vocabulary, do_lower_case=True).save_pretrained(folder)
    config = BertConfig(vocab_size=len(vocabulary), max_position_embeddings=24, **SIZES)
    _save(BertForMaskedLM, config, folder)


def save_roberta(folder: Path, *, mask_takes_blank: bool = True) -> None:
    """Save a RoBERTa whose mask takes the blank before it, as published ones do and new ones do not."""
    vocabulary, merges = _byte_pairs(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    mask: Any = AddedToken("<mask>", lstrip=mask_takes_blank, special=True)
    RobertaTokenizer(vocab=vocabulary, merges=merges, mask_token=mask).save_pretrained(folder)
    config = RobertaConfig(
        vocab_size=len(vocabulary),
        max_position_embeddings=66,
        type_vocab_size=1,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        **SIZES,
    )
    _save(RobertaForMaskedLM, config, folder)


def save_albert(folder: Path) -> None:
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = [
        *((piece, 0.0) for piece in special),
        *((piece, -2.0 - place / 100) for place, piece in enumerate(UNIGRAMS)),
        *((letter, -9.0) for letter in letters if letter not in UNIGRAMS),
    ]
    AlbertTokenizer(vocab=vocabulary).save_pretrained(folder)
    # Two rows more than the tokenizer knows, as published models pad theirs.
    config = AlbertConfig(
        vocab_size=len(vocabulary) + 2, embedding_size=8, max_position_embeddings=32, pad_token_id=0, **SIZES
    )
    _save(AlbertForMaskedLM, config, folder)


def save_gpt2(folder: Path) -> None:
    """Save a GPT-2 that begins with BOS and has no token for padding."""
    vocabulary, merges = _byte_pairs(["<|endoftext|>"])
    GPT2Tokenizer(vocab=vocabulary, merges=merges).save_pretrained(folder)
    _save_gpt2_model(folder, len(vocabulary))


def save_gpt2_without_bos(folder: Path) -> None:
    vocabulary, merges = _byte_pairs(["<unk>"])
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    made: Any = PreTrainedTokenizerFast
    made(tokenizer_object=backend, unk_token="<unk>").save_pretrained(folder)
    _save_gpt2_model(folder, len(vocabulary))


def save_gpt2_that_marks_both_ends(folder: Path) -> None:
    """Save a GPT-2 whose tokenizer adds BOS and EOS by itself."""
    save_gpt2(folder)
    tokenizer = GPT2Tokenizer.from_pretrained(folder, local_files_only=True)
    end = ("<|endoftext|>", 0)
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{end[0]} $A {end[0]}", special_tokens=[end]
    )
    tokenizer.save_pretrained(folder)


def add_words_that_are_none(folder: Path) -> None:
    """Add unused places to a BERT-like tokenizer as added tokens, as some published ones do."""
    tokenizer = BertTokenizer.from_pretrained(folder, local_files_only=True)
    tokenizer.add_tokens([AddedToken("[unused1]", special=False), AddedToken("[unused2]", special=False)])
    tokenizer.save_pretrained(folder)


def _byte_pairs(special: list[str]) -> tuple[dict[str, int], Any]:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer=trainer)
    state = json.loads(tokenizer.to_str())["model"]
    return state["vocab"], [tuple(pair) for pair in state["merges"]]


def _save_gpt2_model(folder: Path, vocabulary: int) -> None:
    config = GPT2Config(
        vocab_size=vocabulary,
        n_positions=24,
        n_embd=16,
        n_layer=2,
        n_head=2,
        initializer_range=SPREAD,
        bos_token_id=0,
        eos_token_id=0,
    )
    _save(GPT2LMHeadModel, config, folder)


def _save(model_class: Any, config: Any, folder: Path) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        model_class(config).save_pretrained(folder)
