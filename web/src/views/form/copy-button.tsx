// A button that copies a text, and says for a moment that it did.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";

const saidMs = 2_000;

interface CopyProps {
  readonly text: string;
  /** What is copied, for screen readers: "address", "secret". */
  readonly what: string;
}

export function CopyButton({ text, what }: CopyProps): VNode {
  const said = useSignal("");
  const copy = (): void => {
    const say = (message: string): void => {
      said.value = message;
      setTimeout(() => {
        said.value = "";
      }, saidMs);
    };
    // Async, because a page that was not loaded securely has no clipboard.
    const write = async (): Promise<void> => navigator.clipboard.writeText(text);
    write().then(
      () => say("Copied"),
      () => say("Select it to copy"),
    );
  };
  return (
    <button type="button" class="quiet copy" onClick={copy}>
      <span aria-live="polite">{said.value === "" ? "Copy" : said.value}</span>
      <span class="unseen"> {what}</span>
    </button>
  );
}
