// The steps of a check that was made in this page, each in words.

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
