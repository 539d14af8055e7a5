// A button with a panel that opens below it. The panel closes with Escape, and with a click or focus elsewhere.

import { effect, type Signal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface PopoverProps {
  readonly isOpen: Signal<boolean>;
  /** Name of the button and the panel. */
  readonly label: string;
  /** Shown beside the label. */
  readonly text?: ComponentChildren;
  /** CSS class of the whole. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Popover(props: PopoverProps): VNode {
  const { isOpen, label, text, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const follow = (): (() => void) | undefined => {
    if (!isOpen.value) return undefined;
    const leave = ({ target }: Event): void => {
      if (target instanceof Node && box.current?.contains(target) !== true) isOpen.value = false;
    };
    const press = ({ key }: KeyboardEvent): void => {
      if (key !== "Escape") return;
      isOpen.value = false;
    };
    addEventListener("pointerdown", leave);
    addEventListener("focusin", leave);
    addEventListener("keydown", press);
    return () => {
      if (box.current?.contains(document.activeElement)) button.current?.focus();
      removeEventListener("pointerdown", leave);
      removeEventListener("focusin", leave);
      removeEventListener("keydown", press);
    };
  };
  // Not with `useSignalEffect`, which waits for a frame: by then the panel is gone, and with it the focus.
  useEffect(() => effect(follow), [isOpen]);
  return (
    <div class={`popover ${props.class ?? ""}`} ref={box}>
      <button
        type="button"
        ref={button}
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {label} {text}
      </button>
      {isOpen.value && (
        <section class="popover-panel" aria-label={label}>
          {children}
        </section>
      )}
    </div>
  );
}
