// A signal as the two properties a field wants.

import type { Signal } from "@preact/signals";

export interface Bound {
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
