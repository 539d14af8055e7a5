// A labelled field for a decimal number: text, because the browser's number fields round and localise.

import type { VNode } from "preact";

interface FieldProps {
  readonly label: string;
  readonly value: string;
  onValue(value: string): void;
}

export function Field({ label, value, onValue }: FieldProps): VNode {
  return (
    <label>
      {label}
      <input
        inputMode="decimal"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value.trim().replace(",", "."))}
      />
    </label>
  );
}
