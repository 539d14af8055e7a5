// What happened to the account: new notices over the page, and a button that opens the list of all notices of this
// session. Screen readers announce new notices politely.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { session } from "../../member/session.ts";
import { timeOfDay } from "../../moment.ts";
import {
  dismiss,
  forgetNotices,
  holdToasts,
  notices,
  toasts,
  unread,
} from "../../notices/notice-list.ts";
import type { Notice } from "../../notices/notices.ts";
import { spokenReference } from "../../proof-reference.ts";
import { addressOf, route } from "../../route.ts";
import { isFull } from "../trade/chart/chart-settings.ts";
import { panelSizes } from "../trade/panel-sizes.ts";

type Told = Pick<Notice, "text" | "proof" | "atMs">;

function NoticeText({ notice }: { notice: Told }): VNode {
  const { text, proof, atMs } = notice;
  return (
    <>
      <span class="notice-text">{text}</span>
      <span class="notice-foot">
        <time dateTime={new Date(atMs).toISOString()}>{timeOfDay(atMs)}</time>
        {proof !== "" && <a href={addressOf("chain", proof)}>Verify {spokenReference(proof)}</a>}
      </span>
    </>
  );
}

/** While trading, the notices are above the account's tables, whose height the user chooses. A full chart covers those. */
function lift(): string {
  return route.value.page === "trade" && !isFull.value ? `${panelSizes.value.account}px` : "0px";
}

/** The notices over the page. The region is always there, so that additions to it are announced. */
export function Toasts(): VNode {
  return (
    <section
      class="toasts"
      aria-label="New notifications"
      aria-live="polite"
      style={{ "--lift": lift() }}
      onMouseEnter={() => holdToasts(true)}
      onMouseLeave={() => holdToasts(false)}
      onFocusIn={() => holdToasts(true)}
      onFocusOut={() => holdToasts(false)}
    >
      {toasts.value.map((toast) => (
        <div key={toast.group} class={`toast ${toast.kind}`}>
          <div>
            <NoticeText notice={toast} />
          </div>
          <button
            type="button"
            class="quiet icon"
            aria-label={`Dismiss: ${toast.text}`}
            onClick={() => dismiss(toast.group)}
          >
            ×
          </button>
        </div>
      ))}
    </section>
  );
}

function NoticePanel({ close }: { close: () => void }): VNode {
  const panel = useRef<HTMLElement>(null);
  // Before the next key is pressed, which may be the one that closes it.
  useLayoutEffect(() => {
    unread.value = 0;
    const opener = panel.current?.parentElement?.querySelector("button");
    panel.current?.focus();
    const leave = (event: KeyboardEvent | MouseEvent): void => {
      const isKey = event instanceof KeyboardEvent;
      const isInside = panel.current?.parentElement?.contains(event.target as Node) === true;
      if (isKey ? event.key !== "Escape" : isInside) return;
      close();
      if (isKey) opener?.focus();
    };
    addEventListener("keydown", leave);
    addEventListener("pointerdown", leave);
    return () => {
      removeEventListener("keydown", leave);
      removeEventListener("pointerdown", leave);
    };
  }, []);
  const { value } = notices;
  return (
    <section class="notice-panel" aria-label="Notifications" tabIndex={-1} ref={panel}>
      <header>
        <h2>Notifications</h2>
        <a href={addressOf("history")} onClick={close}>
          Full history
        </a>
        {value.length > 0 && (
          <button type="button" class="quiet" onClick={forgetNotices}>
            Clear
          </button>
        )}
      </header>
      {value.length === 0 ? (
        <p class="empty">Fills, cancels, liquidations and funding appear here.</p>
      ) : (
        <ol>
          {value.map((notice) => (
            <li key={notice.key} class={notice.kind}>
              <NoticeText notice={notice} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** The button with the number of new notices, and the list that it opens. */
export function NoticeButton(): VNode | null {
  const isOpen = useSignal(false);
  if (session.value === null) return null;
  const count = unread.value;
  return (
    <div class="notice-menu">
      <button
        type="button"
        class="quiet icon"
        aria-expanded={isOpen.value}
        aria-label={count === 0 ? "Notifications" : `Notifications, ${count} new`}
        onClick={() => {
          isOpen.value = !isOpen.value;
          unread.value = 0;
        }}
      >
        <svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true">
          <path
            d="M8 1.5a4 4 0 0 0-4 4v2.8L2.6 11h10.8L12 8.3V5.5a4 4 0 0 0-4-4ZM6.5 12.5a1.5 1.5 0 0 0 3 0Z"
            fill="currentColor"
          />
        </svg>
        {count > 0 && <small class="badge">{Math.min(count, 99)}</small>}
      </button>
      {isOpen.value && (
        <NoticePanel
          close={() => {
            isOpen.value = false;
            unread.value = 0;
          }}
        />
      )}
    </div>
  );
}
