// The steps of a check made in this page, each as a sentence.

import type { VNode } from "preact";

interface Step {
  readonly isOk: boolean;
  readonly message: string;
}

export function StepList({ steps }: { steps: readonly Step[] }): VNode {
  return (
    <ol class="steps">
      {steps.map(({ message, isOk }) => (
        <li key={message} class={isOk ? "gain" : "loss"}>
          {message}
        </li>
      ))}
    </ol>
  );
}
