// The steps of a check that was made in this page, each in words.

import type { VNode } from "preact";

interface Step {
  readonly isOk: boolean;
  readonly words: string;
}

export function StepList({ steps }: { steps: readonly Step[] }): VNode {
  return (
    <ol class="steps">
      {steps.map(({ words, isOk }) => (
        <li key={words} class={isOk ? "gain" : "loss"}>
          {words}
        </li>
      ))}
    </ol>
  );
}
