// Asks the user before something is sent. Orders and changes of one order are asked about only if the user's own settings
// want that.

import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { orderGuards } from "../../markets/guard-settings.ts";
import { Dialog } from "../form/dialog.tsx";
import { agreed, question } from "../form/question.ts";

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
