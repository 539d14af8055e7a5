// Asks the user before something is sent. Orders and changes of one order are asked about only if the user's own settings
// want that.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { orderGuards } from "../../markets/guard-settings.ts";
import { Dialog } from "../form/dialog.tsx";

interface QuestionText {
  readonly title: string;
  readonly lines: readonly string[];
  /** Label of the button that does it. */
  readonly verb: string;
}

interface Question extends QuestionText {
  answer(isConfirmed: boolean): void;
}

const question = signal<Question | null>(null);

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

/** Resolves to whether to go on: at once if the user wants no confirmations. */
export function confirmed(title: string, lines: readonly string[]): Promise<boolean> {
  if (!orderGuards.value.confirms) return Promise.resolve(true);
  return agreed({ title, lines, verb: "Confirm" });
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
        <button
          type="button"
          class="primary"
          data-first-focus
          onKeyDown={(event) => {
            // The key that opened the dialog may still be held down.
            if (event.repeat) event.preventDefault();
          }}
          onClick={() => value.answer(true)}
        >
          {value.verb}
        </button>
      </div>
    </Dialog>
  );
}
