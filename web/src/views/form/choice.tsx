// Controls for choosing one of several options: adjacent buttons, or tabs with arrow-key navigation.

import type { Signal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { keyGoal } from "./arrow-keys.ts";

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly options: ReadonlyArray<readonly [value: T, text: string]>;
  readonly value: T;
  onChoose(value: T): void;
}

export function Choice<T extends string>(props: ChoiceProps<T>): VNode {
  const { label, options, value, onChoose } = props;
  return (
    <fieldset class="choice" aria-label={label}>
      {options.map(([option, text]) => (
        <button
          key={option}
          type="button"
          class={option.toLowerCase()}
          aria-pressed={value === option}
          onClick={() => onChoose(option)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

interface TabsProps<T extends string> {
  readonly label: string;
  readonly names: readonly T[];
  readonly chosen: Signal<T>;
  /** CSS class of the group. */
  readonly class: string;
  /** Content of a tab; without this function, its name. */
  text?(name: T): ComponentChildren;
}

export function Tabs<T extends string>(props: TabsProps<T>): VNode {
  const { label, names, chosen, text = (name: T) => name } = props;
  const turn = (event: KeyboardEvent): void => {
    const at = keyGoal(event, names.indexOf(chosen.value), names.length);
    if (at === undefined) return;
    event.preventDefault();
    chosen.value = names[at] ?? chosen.value;
    const tab = (event.currentTarget as HTMLElement).children[at];
    if (tab instanceof HTMLElement) tab.focus();
  };
  return (
    <div class={props.class} role="tablist" aria-label={label} onKeyDown={turn}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={chosen.value === name}
          tabIndex={chosen.value === name ? 0 : -1}
          onClick={() => {
            chosen.value = name;
          }}
        >
          {text(name)}
        </button>
      ))}
    </div>
  );
}
