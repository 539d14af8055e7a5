// The steps of a check made in this page, each as a sentence.

import type { VNode } from "preact";

interface Step {
  readonly isOk: boolean;
  readonly message: string;
  /** Nothing was checked: the step only says what others report. */
  readonly isOpen?: true;
}

export function StepList({ steps }: { steps: readonly Step[] }): VNode {
  return (
    <ol class="steps">
      {steps.map(({ message, isOk, isOpen }) => (
        <li key={message} class={isOpen ? "soft" : isOk ? "gain" : "loss"}>
          {isOpen && <b>Not checked here. </b>}
          {message}
        </li>
      ))}
    </ol>
  );
}
