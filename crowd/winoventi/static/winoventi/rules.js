// The server's rules in short, so that nobody is refused by surprise. The server decides, and nothing is ever corrected.
// Each rule looks at one part of the page and tells of its entries: what is missing, what is wrong, what is odd.

const PAIR = /\[([^[\]]*)\]/gu;

export const words = (text) => text.trim().split(/\s+/u).filter(Boolean);
export const isNone = (text) => /^(n\/a|n\.a\.|na)\.?$/iu.test(text.trim());
export const same = (one, other) => plain(one) !== "" && plain(one) === plain(other);
const plain = (text) => text.trim().toLocaleLowerCase();
const isBlank = (text) => text.trim() === "";
const isSeveral = (text) => !isNone(text) && words(text).length > 1;

// A sentence with exactly one pair in brackets: what stands around it and in it. null: it has none yet.
export const readPair = (sentence) => {
  const found = [...sentence.matchAll(PAIR)];
  const marks = sentence.replaceAll(/[^[\]]/gu, "");
  if (found.length !== 1 || marks !== "[]") return null;
  const pair = found[0][1].split("/").map((word) => word.trim());
  const start = found[0].index;
  return { pair, before: sentence.slice(0, start), after: sentence.slice(start + found[0][0].length) };
};

const sense = (read, { generic }, tell) => {
  const [choice, ...entries] = ["makes_sense", "exception_1", "exception_2", "exception_3"];
  if (!read(choice)) tell.missing(choice, "choice");
  const wantsWord = read(choice) !== "no" || tell.wantsAll;
  if (wantsWord && isBlank(read("exception_1"))) tell.missing("exception_1", "first");
  entries.forEach((entry, place) => {
    const text = read(entry);
    if (isBlank(text)) return;
    if (isSeveral(text)) tell.wrong(entry, "oneWord");
    else if (same(text, generic)) tell.odd("ownWord");
    else if (entries.slice(0, place).some((earlier) => same(read(earlier), text))) tell.odd("twice");
  });
};

const bracket = (sentence, outcomes) => {
  const found = readPair(sentence);
  if (!found) return "brackets";
  const { pair } = found;
  if (pair.length !== 2 || pair.some((word) => word === "")) return "slash";
  if (pair.some((word) => words(word).length > 1)) return "pairOneWord";
  if (same(...pair)) return "differ";
  if (pair.some((word) => outcomes.some((outcome) => same(word, outcome)))) return "outcome";
  return "";
};

const premise = (read, { generic, exception }, tell) => {
  const outcomes = [generic, exception];
  const sentence = read("sentence");
  const given = { generic_word: read("generic_word"), exception_word: read("exception_word") };
  if (isBlank(sentence)) tell.missing("sentence", "sentence");
  if (isNone(sentence)) return;
  const fault = isBlank(sentence) ? "" : bracket(sentence, outcomes);
  if (fault) tell.wrong("sentence", fault);
  for (const [entry, text] of Object.entries(given)) {
    if (isBlank(text)) tell.missing(entry, "word");
    else if (words(text).length > 1) tell.wrong(entry, "oneWord");
    else if (outcomes.some((outcome) => same(text, outcome))) tell.wrong(entry, "outcome");
  }
  if (same(given.generic_word, given.exception_word)) tell.wrong("exception_word", "differ");
  if (fault || isBlank(sentence)) return;
  const { pair } = readPair(sentence);
  const written = Object.values(given).filter((text) => !isBlank(text));
  if (written.some((text) => !pair.some((word) => same(word, text)))) tell.odd("elsewhere");
  else if (written.length === 2 && same(pair[0], given.exception_word)) tell.odd("order");
};

const pick = (read, part, tell) => {
  for (const entry of tell.entries) {
    if (!read(entry)) tell.missing(entry, "choice");
  }
};

// Which of the sentence's rules are kept by now, for the list beneath it.
export const kept = (sentence, { generic, exception }) => {
  const found = readPair(sentence);
  const pair = found?.pair.filter((word) => word !== "") ?? [];
  const isPair = pair.length === 2 && found.pair.length === 2;
  const isOutcome = pair.some((word) => [generic, exception].some((outcome) => same(word, outcome)));
  return {
    brackets: Boolean(found),
    pairOneWord: isPair && pair.every((word) => words(word).length === 1),
    differ: isPair && !same(...pair),
    outcome: isPair && !isOutcome,
  };
};

// The sentence with one of the words, as readers will see it.
export const filled = (sentence, word) => {
  const found = readPair(sentence);
  if (!found || isBlank(word)) return "";
  const { before, after } = found;
  const shown = isBlank(before) ? word.trim().replace(/^./u, (letter) => letter.toLocaleUpperCase()) : word.trim();
  const text = words(`${before}${shown}${after}`).join(" ");
  return /[.!?…]["'”’)]*$/u.test(text) ? text : `${text}.`;
};

export const rules = { sense, premise, pick };
