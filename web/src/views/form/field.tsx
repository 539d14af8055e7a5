// Labelled fields, and a signal as the two properties a field wants. Numbers are text too, because the browser's
// number fields round and localise.

import type { Signal } from "@preact/signals";
import type { VNode } from "preact";

interface Bound {
  readonly value: string;
  onValue(value: string): void;
}

/** Shows the signal's value, and sets it by what is typed or chosen. */
export function bound(text: Signal<string>): Bound {
  return {
    value: text.value,
    onValue: (value) => {
      text.value = value;
    },
  };
}

interface FieldProps extends Bound {
  readonly label: string;
}

interface NumberProps extends FieldProps {
  /** Shown while nothing is typed: what it is likely to be. */
  readonly hint?: string;
}

interface SelectProps extends FieldProps {
  readonly options: readonly string[];
}

/** A field for a decimal number: a comma is taken for a point. */
export function Field({ label, value, onValue, hint = "" }: NumberProps): VNode {
  return (
    <label>
      {label}
      <input
        inputMode="decimal"
        placeholder={hint}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value.trim().replace(",", "."))}
      />
    </label>
  );
}

/** A field for words. */
export function TextField({ label, value, onValue }: FieldProps): VNode {
  return (
    <label>
      {label}
      <input
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </label>
  );
}

/** One of several words. */
export function Select({ label, options, value, onValue }: SelectProps): VNode {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}
