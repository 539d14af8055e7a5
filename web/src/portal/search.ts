// Finds entries of the documentation's search index. An entry is found if it has every word; those on pages for users come
// before those about the design, and a word in a title counts more than one in the text.

/** An entry of the index that the build writes: a page, a heading or a row of a table. */
export interface Found {
  /** Address, with the fragment of the heading. */
  readonly a: string;
  readonly page: string;
  readonly title: string;
  readonly words: string;
  /** How much the entry matters to a reader: 1 (a row of a table on a page about the design) to 12 (a reference). */
  readonly w: number;
}

const foundMax = 12;

/** Returns how well a text has a word: as a word of its own, at the start of one, or somewhere; 0 if not at all. */
function fitIn(text: string, word: string): number {
  const parts = text.split(word);
  if (parts.length === 1) return 0;
  const starts = parts.slice(0, -1).map((before) => !/[\p{L}\p{N}]$/u.test(before));
  const ends = parts.slice(1).map((after) => !/^[\p{L}\p{N}]/u.test(after));
  if (starts.some((isStart, at) => isStart && ends[at] === true)) return 3;
  return starts.includes(true) ? 2 : 1;
}

/** Returns the score of an entry; 0 if it lacks a word. */
function scoreOf({ title, page, words, w }: Found, terms: readonly string[]): number {
  const [name, where, text] = [title, page, words].map((part) => part.toLowerCase());
  let score = 0;
  for (const term of terms) {
    const fits = [
      4 * fitIn(name ?? "", term),
      2 * fitIn(where ?? "", term),
      fitIn(text ?? "", term),
    ];
    const best = Math.max(...fits);
    if (best === 0) return 0;
    score += best;
  }
  const phrase = terms.join(" ");
  if (name === phrase) score += 6;
  // Several words that stand together in the text mean more than the same words apart.
  if (terms.length > 1 && text?.includes(phrase)) score += 6 * terms.length;
  return score * w;
}

/** The best entries for what was typed, at most twelve; none for an empty text. */
export function searched(index: readonly Found[], text: string): Found[] {
  const terms = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (terms.length === 0) return [];
  return index
    .map((entry) => ({ entry, score: scoreOf(entry, terms) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, foundMax)
    .map(({ entry }) => entry);
}
