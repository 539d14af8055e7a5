// One of a few words, as buttons side by side.

import type { VNode } from "preact";

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly options: ReadonlyArray<readonly [value: T, words: string]>;
  readonly value: T;
  onChoose(value: T): void;
}

export function Choice<T extends string>(props: ChoiceProps<T>): VNode {
  const { label, options, value, onChoose } = props;
  return (
    <fieldset class="choice" aria-label={label}>
      {options.map(([option, words]) => (
        <button
          key={option}
          type="button"
          class={option.toLowerCase()}
          aria-pressed={value === option}
          onClick={() => onChoose(option)}
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}
