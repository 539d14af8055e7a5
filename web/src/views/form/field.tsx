// Labelled fields. Numbers are text too, because the browser's number fields round and localise.

import type { VNode } from "preact";
import type { Bound } from "./bound.ts";

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
