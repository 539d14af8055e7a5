// Labelled fields, and the binding of a signal to a field. Numbers use text fields, because the browser's number
// fields round and localise.

import type { Signal } from "@preact/signals";
import type { VNode } from "preact";

interface Bound {
  readonly value: string;
  onValue(value: string): void;
}

/** Binds a field to a signal: shows its value, and sets it on input. */
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
  /** Placeholder with a likely value. */
  readonly hint?: string;
}

interface SelectProps extends FieldProps {
  readonly options: readonly string[];
}

/** A field for a decimal number; a comma counts as a decimal point. */
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

/** A field for text. */
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

/** A field for a new or known passphrase. The browser must not keep it: it is not the password of an account. */
export function PasswordField({ label, value, onValue }: FieldProps): VNode {
  return (
    <label>
      {label}
      <input
        type="password"
        autocomplete="off"
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </label>
  );
}

/** A drop-down list. */
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
