// Words that the project does not use, because the trade has a standard term or because the word had several meanings.
// Each row has a word, the places where it is refused, the exceptions, and the replacement. The glossary in
// docs/STYLE.md lists the words in use.

import { proseOf } from "./citations.ts";
import type { TreeFile } from "./tree.ts";

interface RetiredWord {
  /** Pattern refused in identifiers and file names, which are first lower-cased and joined by dashes: `best-ask`. */
  readonly names: RegExp;
  /**
   * Identifiers that are allowed as a whole, because the word means something else there or a format, port or table
   * fixes the name.
   */
  readonly allowed?: RegExp;
  /** Pattern refused in comments and documents too, if given. */
  readonly prose?: RegExp;
  /** The word to use instead. */
  readonly instead: string;
}

/** Returns a pattern for `words` as part of a name. */
function part(words: string): RegExp {
  return new RegExp(`(^|-)(${words})(-|$)`);
}

function spoken(words: string): RegExp {
  return new RegExp(`(?<![\\w/.:"'\`-]|--label )(${words})(?![\\w"\`]|://)`, "i");
}

/** Names for prices, quantities and levels of the selling side of a book. */
const askOfBook =
  /^(asks?|bestAsk|isAskBehind|asksDepth|(encode)?BestBidAskStreamEvent|fetchBidsAsks|ask(Price|Qty|Value|Depth|Notional))$/;

/** Names for the requested amounts of a swap: columns and fields of its record. */
const askedOfSwap = /^(asked(Lots|Quote)?|asked_(lots|quote)|is_?[aA]bort_?[aA]sked)$/;

export const retiredWords: Readonly<Record<string, RetiredWord>> = {
  ask: {
    names: part("asks?|asked|asking|askers?"),
    allowed: new RegExp(`${askOfBook.source}|${askedOfSwap.source}`),
    instead: "unstamped command, request, query, send or call; bids and asks of a book stay",
  },
  desk: {
    names: part("desks?"),
    prose: spoken("desks?"),
    instead: "client or service",
  },
  door: {
    names: part("doors?"),
    prose: spoken("doors?"),
    instead: "endpoint, handler, repository or admin API; the Doorbell of a ring stays",
  },
  standing: {
    names: part("standings?"),
    allowed: /^standing$/,
    instead: "account flags, margin status, provider score or account decisions",
  },
  beat: { names: part("beats?|beating"), instead: "cycle; heartbeat of a thread" },
  carrier: { names: part("carriers?"), prose: spoken("carriers?"), instead: "executor" },
  settler: { names: part("settlers?"), prose: spoken("settlers?"), instead: "batch builder" },
  keeper: {
    names: part("keepers?"),
    prose: spoken("keepers?"),
    instead: "monitor, scheduler, repository or consolidator",
  },
  birth: { names: part("births?"), prose: spoken("births?"), instead: "init" },
  unit: {
    names: part("unit-(writer|end)|order-unit|is-unit|event-units?"),
    instead: "transaction; minor units, test units and systemd units stay",
  },
  group: {
    names: part(
      "journal-groups?|group-(bytes|source|shape|records|committer)|append-group|empty-group",
    ),
    instead: "commit batch; group commit, route groups and process groups stay",
  },
  fence: {
    names: part("fences?|fenced"),
    allowed: /^(fences?|fenced|fenceMember|FenceCommand|MemberAuth_Fence)$/,
    instead: "barrier; the fence of a ledger against older operations and code fences stay",
  },
  "closing lots": { names: /closing-lots/, instead: "position coverage" },
  stranded: {
    names: part("stranded"),
    prose: spoken("stranded"),
    instead: "orphaned reduce-only",
  },
  uncovered: {
    names: part("uncovered"),
    allowed: /^uncovered$/,
    instead: "under-margined; the close reason of that name stays",
  },
  protection: {
    names: part("protections?"),
    allowed: /^(protectionPrice|protection-price|protections)$/,
    instead: "take profit and stop loss, tpSl; a market order's protection price stays",
  },
  words: {
    names: /(^|-)(parameter|status|order|frozen|banned|refusal|error|failed|placed|thread)-words?$/,
    allowed: /^status_words$/,
    instead: "message, name or argument; 32-bit words stay",
  },
  place: {
    names:
      /^(?!.*\b(decimal|price|quantity|money|tick|lot|step|sum|exact|percent|ratio|premium|mean|rounded|spot|many|must|may|cancel-re)-places?$).+-places?$|^place-of$/,
    allowed:
      /^(_place|placeOf|custody_places|(test|cancel|is|can|re|send|sum|check|remove)[A-Z]?\w*|tooManyPlaces|CancelReplace|spotCancelReplace|cancelReplace)$/,
    instead: "endpoint, index, slot, position or location; placing orders and decimal places stay",
  },
  cells: {
    names: part("cells?"),
    allowed: /^(cells?|cells?Of|cellText|firstCells|widthCells|TableCell)$/,
    instead: "checked array, elements or values; cells of a printed table stay",
  },
  silence: { names: part("silences?"), instead: "connection timeout or staleness" },
  double: {
    names: /-doubles?$/,
    instead: "fake",
  },
  lives: { names: part("lives"), instead: "simulation runs" },
  hands: { names: part("hands"), instead: "control, actions or accounts" },
};

/** Returns the words of an identifier or a file name, in lower case, joined by dashes. */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .replace(/[_.]/g, "-")
    .toLowerCase();
}

const blanked =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/(?![/*\s])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuy]*(?=\s*[,;.)\]:])/y;
const template = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** Returns the comment, string, pattern or template text at `at`; empty if there is code. */
function blankAt(text: string, at: number, closesExpression: boolean): string {
  const char = text.charAt(at);
  if (char === "`" || (char === "}" && closesExpression))
    return char + matchAt(template, text, at + 1);
  return matchAt(blanked, text, at);
}

/** Keeps track of the open braces of each template expression around `token`. */
function follow(depths: number[], token: string): void {
  const isPiece = token.startsWith("`") || (token.startsWith("}") && token.length > 1);
  if (isPiece && token.startsWith("}")) depths.pop();
  if (isPiece && token.endsWith("${")) depths.push(0);
  const depth = depths.pop();
  if (depth === undefined) return;
  depths.push(depth + (token === "{" ? 1 : token === "}" ? -1 : 0));
}

/** Returns the code alone: comments, strings, patterns and template text are blanked, so that line numbers stay. */
function codeOf(text: string): string {
  let code = "";
  const depths: number[] = [];
  for (let at = 0; at < text.length; ) {
    const blank = blankAt(text, at, depths.at(-1) === 0);
    const token = blank === "" ? text.charAt(at) : blank;
    follow(depths, token);
    code += blank === "" ? token : blank.replace(/[^\n]/g, " ");
    at += token.length;
  }
  return code;
}

const known = new Map<string, readonly string[]>();

/** Returns the retired words of an identifier. Results are stored, because most identifiers occur many times. */
function retiredIn(name: string): readonly string[] {
  const before = known.get(name);
  if (before !== undefined) return before;
  const split = wordsOf(name);
  const found = Object.entries(retiredWords)
    .filter(([, { names, allowed }]) => names.test(split) && allowed?.test(name) !== true)
    .map(([word]) => word);
  known.set(name, found);
  return found;
}

const projectFile = /\.(tsx?|mjs)$/;

function fault(where: string, found: string, word: string): string {
  const instead = retiredWords[word]?.instead;
  return `${where}: "${found}" has the retired word "${word}"; write ${instead}`;
}

/** File names of documents are exempt, because decisions and clauses are found by them. */
function fileNameFaults({ path }: TreeFile): string[] {
  if (/^(docs\/(decisions|spec)|test\/scenario)\//.test(path)) return [];
  const base = (path.split("/").at(-1) ?? "").replace(/\..*/, "");
  return retiredIn(base).map((word) => fault(path, base, word));
}

function identifierFaults({ path, text }: TreeFile): string[] {
  if (!projectFile.test(path)) return [];
  return codeOf(text)
    .split("\n")
    .flatMap((line, index) =>
      [...line.matchAll(/[A-Za-z_$][\w$]*/g)].flatMap(([name]) =>
        retiredIn(name).map((word) => fault(`${path}:${index + 1}`, name, word)),
      ),
    );
}

function proseFaults(file: TreeFile): string[] {
  const text = proseOf(file);
  // Nearly every text has none of the words, so that only few texts are searched line by line.
  const rows = Object.entries(retiredWords).filter(([, { prose }]) => prose?.test(text));
  if (rows.length === 0) return [];
  return text.split("\n").flatMap((line, index) =>
    rows.flatMap(([word, { prose }]) => {
      const found = prose?.exec(line)?.[1];
      return found === undefined ? [] : [fault(`${file.path}:${index + 1}`, found, word)];
    }),
  );
}

/** Lists retired words in file names, identifiers, comments and documents. Released migrations are exempt. */
export function retiredFaults(file: TreeFile): string[] {
  if (/^(CHANGELOG\.md|sql\/|bench\/results\/)|\/retired-words\.ts$/.test(file.path)) return [];
  return [...fileNameFaults(file), ...identifierFaults(file), ...proseFaults(file)];
}
