// Signals that survive a reload, in the browser's local storage. Choices of the user are kept so, never data of an
// account.

import { type Signal, signal } from "@preact/signals";

/** Returns the stored value as `accept` reads it; undefined if there is none or `accept` returns undefined. */
function stored<T>(name: string, accept: (value: unknown) => T | undefined): T | undefined {
  const text = localStorage.getItem(name);
  if (text === null) return undefined;
  try {
    return accept(JSON.parse(text));
  } catch {
    // Another version of the page, or a person, has written it.
    return undefined;
  }
}

/**
 * Returns a signal that starts with the stored value and stores every later one. `accept` returns the value to use for
 * what was stored, and undefined for anything that does not fit; then the signal starts with `initial`. A shared signal
 * also takes what another tab stores.
 */
export function keptSignal<T>(
  name: string,
  initial: T,
  accept: (value: unknown) => T | undefined,
  { isShared }: { readonly isShared: boolean } = { isShared: false },
): Signal<T> {
  const kept = signal(stored(name, accept) ?? initial);
  let isFirst = true;
  kept.subscribe((value) => {
    if (!isFirst) localStorage.setItem(name, JSON.stringify(value));
    isFirst = false;
  });
  if (isShared) {
    addEventListener("storage", ({ key }) => {
      if (key === name || key === null) kept.value = stored(name, accept) ?? initial;
    });
  }
  return kept;
}

/** Returns an `accept` for one of some texts. */
export function oneOf<T extends string>(names: readonly T[]): (value: unknown) => T | undefined {
  return (value) => names.find((name) => name === value);
}
