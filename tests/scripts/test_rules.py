"""The rules that browser and server share: where the browser speaks, the server says the same."""

from itertools import product

import pytest

from crowd.winogavil.domain import CUE, CUE_WITH_MARKS
from crowd.winoventi.domain.premises import Fault, find_fault, read_premise
from crowd.winoventi.domain.words import are_same, is_na, is_one_word
from tests.scripts.conftest import Bench

pytestmark = pytest.mark.needs_chromium
RULES = "import('/static/winoventi/rules.js')"
SERVERS = {
    Fault.NOT_ONE_BRACKET: "brackets",
    Fault.NOT_TWO_WORDS: "slash",
    Fault.BRACKET_WORD_IS_LONG: "pairOneWord",
    Fault.SAME_IN_BRACKET: "differ",
}
# The page's faults of each sentence; its words and outcomes do not matter here.
FAULTS = """
(sentences) => import('/static/winoventi/rules.js').then(({ rules }) => sentences.map((sentence) => {
  let fault = null;
  const read = (entry) => (entry === 'sentence' ? sentence : entry);
  const note = (entry, phrase) => { if (entry === 'sentence') fault = phrase; };
  rules.premise(read, { generic: 'none', exception: 'none' }, { missing: note, wrong: note, odd() {} });
  return fault;
}))"""
WORDS = [
    "a",
    "A",
    "ab",
    "n/a",
    "NA",
    "n.a.",
    "N/A.",
    "na",
    "two words",
    " padded ",
    "ß",
    "İ",
    "x\u00a0y",
    "don't",
]
CUES = [
    "a",
    "royal",
    "Éclair",
    "ice-cream",
    "rock'n'roll",
    "two words",
    "x" * 30,
    "x" * 31,
    "日本",
    "r2d2",
    "-ab",
]


def sentences() -> list[str]:
    tokens = ["a", "b", "a b", " ", "[", "/", "]"]
    return ["".join(parts) for length in range(1, 6) for parts in product(tokens, repeat=length)]


def servers_fault(sentence: str) -> str | None:
    premise = read_premise(sentence=sentence, generic_word="one", exception_word="other")
    return SERVERS.get(fault) if (fault := find_fault(premise)) else None


def test_browser_finds_the_servers_fault_wherever_marks_and_words_may_stand(bench: Bench) -> None:
    tried = [sentence for sentence in sentences() if sentence.strip()]

    found = bench.open("").evaluate(FAULTS, tried)

    differing = [
        (one, ours, servers_fault(one))
        for one, ours in zip(tried, found, strict=True)
        if ours != servers_fault(one)
    ]
    assert len(tried) > 19_000
    assert set(found) == {None, *SERVERS.values()}
    assert differing == []


def test_words_are_one_word_none_and_the_same_on_both_sides(bench: Bench) -> None:
    page = bench.open("")
    pairs = [[one, other] for one in WORDS for other in WORDS]

    several = page.evaluate(f"(all) => {RULES}.then((r) => all.map((one) => r.words(one).length > 1))", WORDS)
    none = page.evaluate(f"(all) => {RULES}.then((r) => all.map((one) => r.isNone(one)))", WORDS)
    same = page.evaluate(f"(all) => {RULES}.then((r) => all.map((pair) => r.same(...pair)))", pairs)

    assert several == [not is_one_word(word) for word in WORDS]
    assert none == [is_na(word.rstrip(".")) or is_na(word) for word in WORDS]
    assert same == [are_same(one, other) for one, other in pairs]


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("Jim was [early / late] for work", "early"),
        ("Jim was [early / late]  for work!", "late"),
        ("[early/late] comes Jim.", "late"),
        ("He said “it is [hot / cold].”", "hot"),
    ],
)
def test_reader_sees_what_the_writer_was_shown(bench: Bench, sentence: str, word: str) -> None:
    premise = read_premise(sentence=sentence, generic_word="", exception_word="")

    shown = bench.open("").evaluate(f"(told) => {RULES}.then((r) => r.filled(...told))", [sentence, word])

    assert shown == premise.with_word(word)


def test_word_that_the_server_takes_is_never_held_back(bench: Bench) -> None:
    slot = """<form data-ask data-work="w" data-ready="r" data-untested="u %d"><input name="token" value="t">
      <fieldset data-slot="1" data-fewest="0" data-most="9"><input data-cue>
      <button type="button" data-test></button><p data-said></p>
      <ul data-rules><li data-rule="word"></li><li data-count></li></ul></fieldset>
      <button type="submit"></button><p data-status></p></form>"""
    tries = """(words) => words.map((word) => {
      const cue = document.querySelector('[data-cue]');
      cue.value = word;
      cue.dispatchEvent(new Event('input', { bubbles: true }));
      return document.querySelector('[data-rule=word]').classList.contains('kept');
    })"""
    page = bench.open(slot, "winogavil/ask.js")

    kept = dict(zip(CUES, page.evaluate(tries, CUES), strict=True))

    taken = [cue for cue in CUES if CUE.fullmatch(cue) or CUE_WITH_MARKS.fullmatch(cue)]
    assert [cue for cue in taken if not kept[cue]] == []
    assert [cue for cue in CUES if not kept[cue]] == ["a", "two words", "x" * 31, "r2d2"]
