// A matcher's answer as its name and fields, whichever method delivers it.

import type { MatchReplySink } from "../../src/core/generated/messages.ts";
import * as codec from "../../src/wire/generated/message-codec.ts";
import type { RecordViews } from "../../src/wire/records/record-views.ts";
import type { MatchAnswer } from "./record-arbitraries.ts";

type Write = (views: RecordViews, offset: number, ...figures: readonly number[]) => void;

const writers = {
  filled: codec.encodeFilled,
  reduced: codec.encodeReduced,
  removed: codec.encodeRemoved,
  met: codec.encodeMet,
  ended: codec.encodeEnded,
} satisfies Readonly<Record<keyof MatchReplySink, unknown>>;

/** Writes an answer at byte `offset`. */
export function writeAnswer(views: RecordViews, offset: number, answer: MatchAnswer): void {
  (writers[answer.name] as Write)(views, offset, ...answer.figures);
}

/** Stores the one answer that it receives. */
export class OneAnswer implements MatchReplySink {
  answer: MatchAnswer | null = null;

  filled(...figures: readonly number[]): void {
    this.answer = { name: "filled", figures };
  }

  reduced(...figures: readonly number[]): void {
    this.answer = { name: "reduced", figures };
  }

  removed(...figures: readonly number[]): void {
    this.answer = { name: "removed", figures };
  }

  met(...figures: readonly number[]): void {
    this.answer = { name: "met", figures };
  }

  ended(...figures: readonly number[]): void {
    this.answer = { name: "ended", figures };
  }
}
