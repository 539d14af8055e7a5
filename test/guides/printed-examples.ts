// The examples that the REST reference prints, in the order of its pages, and the judgement of what they answered.

import { type Surface, surfaces } from "../../web/portal/rest-topics.ts";

interface Operation {
  readonly "x-codeSamples"?: ReadonlyArray<{ readonly label: string; readonly source: string }>;
  readonly "x-example-needs"?: { readonly refusal: string };
}

/** One example as its page prints it. */
export interface PrintedExample {
  /** The route, such as `GET /v1/markets`. */
  readonly name: string;
  readonly line: string;
  /** The refusal that the page announces; null if the example works as printed. */
  readonly refusal: string | null;
}

/** What an example printed, and whether it ended without a failure. */
export interface RanExample extends PrintedExample {
  readonly printed: string;
  readonly isDone: boolean;
}

/** Returns the examples of one language on the given pages; a route without one in this language is left out. */
export function printedExamples(
  document: unknown,
  label: string,
  pages: readonly Surface[] = surfaces,
): PrintedExample[] {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const names = pages.flatMap(({ topics }) => topics.flatMap(({ routes }) => routes));
  return names.flatMap((name) => {
    const [method = "", path = ""] = name.split(" ");
    const operation = paths[path]?.[method.toLowerCase()];
    const sample = operation?.["x-codeSamples"]?.find((one) => one.label === label);
    const refusal = operation?.["x-example-needs"]?.refusal ?? null;
    return sample === undefined ? [] : [{ name, line: sample.source, refusal }];
  });
}

/** The examples of the shell as blocks that go on after a failure. */
export function shellBlocks(examples: readonly PrintedExample[]): string[] {
  return examples.map(
    ({ line }) => `if ${line}; then echo; echo "== done"; else echo; echo "== failed"; fi`,
  );
}

/** Returns the examples with what their blocks printed. */
export function ranInShell(
  examples: readonly PrintedExample[],
  printed: readonly string[],
): RanExample[] {
  return examples.map((example, at) => {
    const [text = "", rest] = (printed[at] ?? "").split("== done");
    return { ...example, printed: text, isDone: rest !== undefined };
  });
}

/**
 * Describes the examples that neither worked nor gave the announced refusal. `others` has the refusals of a venue that
 * lacks what the reader's has.
 */
export function faultsOf(
  ran: readonly RanExample[],
  others: Readonly<Record<string, string>> = {},
): string[] {
  return ran.flatMap(({ name, line, refusal, printed, isDone }) => {
    const expected = others[name] ?? refusal;
    const isGood = expected === null ? isDone : !isDone && printed.includes(expected);
    return isGood ? [] : [`${name}: ${line}\n${printed.slice(0, 300)}`];
  });
}
