// Asks the user to confirm an order before it is sent, if the user's own settings want that.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { orderGuards } from "../../markets/guard-settings.ts";
import { Dialog } from "../form/dialog.tsx";

interface Question {
  readonly title: string;
  readonly lines: readonly string[];
  answer(isConfirmed: boolean): void;
}

const question = signal<Question | null>(null);

/** Resolves to whether to go on: at once if the user wants no confirmations. */
export function confirmed(title: string, lines: readonly string[]): Promise<boolean> {
  if (!orderGuards.value.confirms) return Promise.resolve(true);
  // A question that was not answered yet is given up, so that its order does not wait for ever.
  question.peek()?.answer(false);
  return new Promise((resolve) => {
    const answer = (isConfirmed: boolean): void => {
      question.value = null;
      resolve(isConfirmed);
    };
    question.value = { title, lines, answer };
  });
}

export function ConfirmationDialog(): VNode | null {
  const { value } = question;
  useEffect(() => () => question.peek()?.answer(false), []);
  if (value === null) return null;
  return (
    <Dialog title={value.title} onClose={() => value.answer(false)}>
      <ul class="plain">
        {value.lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <div class="pair">
        <button type="button" onClick={() => value.answer(false)}>
          Back
        </button>
        <button type="button" class="primary" onClick={() => value.answer(true)}>
          Confirm
        </button>
      </div>
    </Dialog>
  );
}
