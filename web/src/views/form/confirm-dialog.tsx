// Asks before something that cannot be undone. The dialog is modal, and Escape and the focused button keep everything as
// it is.

import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Dialog } from "./dialog.tsx";

interface Question {
  readonly title: string;
  readonly text: string;
  /** Why it cannot be done now; empty or absent if it can. */
  readonly fault?: string;
  /** Label of the button that does it. */
  readonly verb: string;
  act(): void;
}

/** Holds the question that a view asks; null for none. */
export function useQuestion(): Signal<Question | null> {
  return useSignal<Question | null>(null);
}

export function ConfirmDialog({ question }: { question: Signal<Question | null> }): VNode | null {
  const { value } = question;
  if (value === null) return null;
  const close = (): void => {
    question.value = null;
  };
  return (
    <Dialog title={value.title} onClose={close}>
      <p>{value.text}</p>
      {value.fault && <p role="alert">{value.fault}</p>}
      <div class="deeds">
        <button type="button" class="quiet" data-first-focus onClick={close}>
          Keep
        </button>
        <button
          type="button"
          class="primary sell"
          disabled={Boolean(value.fault)}
          onClick={() => {
            close();
            value.act();
          }}
        >
          {value.verb}
        </button>
      </div>
    </Dialog>
  );
}
