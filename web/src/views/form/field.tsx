// Labelled fields, and the binding of a signal to a field. Numbers use text fields, because the browser's number
// fields round and localise.

import { type Signal, useSignal } from "@preact/signals";
import type { Ref, VNode } from "preact";
import { enteredNumber, notationFault } from "../../entered-number.ts";

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
  /** Whether the focus of its dialog begins here. */
  readonly isFirst?: boolean;
}

interface SelectProps extends FieldProps {
  readonly options: readonly string[];
}

interface NumberInputProps extends Bound {
  readonly input?: Ref<HTMLInputElement>;
  readonly hint?: string;
  /** CSS class and name of a field without a label. */
  readonly look?: string;
  readonly name?: string;
  readonly isFirst?: boolean;
  onKeyDown?(event: KeyboardEvent): void;
}

/**
 * Where a decimal number is typed, without its label. What is typed stays in view, because a comma becomes clear only with
 * what follows it: "6,0" on the way to "6,000". Once the field is left, it shows the number that was understood.
 */
export function NumberInput(props: NumberInputProps): VNode {
  const { value, onValue, input, hint, look, name, isFirst, onKeyDown } = props;
  const typed = useSignal<string | null>(null);
  const isTyped = typed.value !== null && enteredNumber(typed.value) === value;
  const fault = value === "" ? null : notationFault(value);
  return (
    <input
      inputMode="decimal"
      autocomplete="off"
      spellcheck={false}
      placeholder={hint ?? ""}
      value={isTyped ? (typed.value ?? "") : value}
      aria-invalid={fault !== null}
      onInput={({ currentTarget }) => {
        typed.value = currentTarget.value;
        onValue(enteredNumber(currentTarget.value));
      }}
      onBlur={() => {
        typed.value = null;
      }}
      {...(fault !== null && { title: fault })}
      {...(input !== undefined && { ref: input })}
      {...(isFirst === true && { "data-first-focus": true })}
      {...(look !== undefined && { class: look })}
      {...(name !== undefined && { "aria-label": name })}
      {...(onKeyDown !== undefined && { onKeyDown })}
    />
  );
}

/** A field for a decimal number. */
export function Field({ label, value, onValue, hint = "", isFirst = false }: NumberProps): VNode {
  return (
    <label>
      {label}
      <NumberInput value={value} onValue={onValue} hint={hint} isFirst={isFirst} />
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
