// Where the focus goes when what had it is gone: a page without a focus sends the Tab key back to its top.

import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Whether nothing has the focus. */
function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Puts the focus back to what had it, if nothing has it now and that is still on the page. */
export function returnFocus(before: Element | null): void {
  if (isLost() && before instanceof HTMLElement && before.isConnected) before.focus();
}

/** Passes the focus on when an element that has it is removed: to what `next` then names. */
export function usePassedFocus(
  element: RefObject<HTMLElement | null>,
  next: (gone: HTMLElement) => HTMLElement | null,
): void {
  useLayoutEffect(() => {
    const own = element.current;
    // Runs while the element is still on the page.
    return () => {
      if (own !== null && document.activeElement === own) next(own)?.focus();
    };
  }, []);
}
