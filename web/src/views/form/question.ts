// The question that the page asks before something is done, whichever view asks; its dialog is in the trading view.

import { signal } from "@preact/signals";

interface QuestionText {
  readonly title: string;
  readonly lines: readonly string[];
  /** Label of the button that does it. */
  readonly verb: string;
}

interface Question extends QuestionText {
  answer(isConfirmed: boolean): void;
}

/** Null while nothing is asked. */
export const question = signal<Question | null>(null);

/** Asks, whatever the settings are. Resolves to whether to go on. */
export function agreed(text: QuestionText): Promise<boolean> {
  // A question that was not answered yet is given up, so that its order does not wait for ever.
  question.peek()?.answer(false);
  return new Promise((resolve) => {
    const answer = (isConfirmed: boolean): void => {
      question.value = null;
      resolve(isConfirmed);
    };
    question.value = { ...text, answer };
  });
}
