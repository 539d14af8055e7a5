// A dialog over the page. While it is open, the rest of the page cannot be reached; Escape closes it. The focus begins at
// the element with `data-first-focus`, else where the browser puts it, and goes back to what had it before.

import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { returnFocus } from "./focus.ts";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  onClose(): void;
}

export function Dialog({ title, children, onClose }: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key is pressed, which is meant for the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>("[data-first-focus]")?.focus();
    // Once the dialog is off the page, because until then nothing behind it can have the focus.
    return () => queueMicrotask(() => returnFocus(before));
  }, []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="quiet icon" aria-label="Close dialog" onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}
