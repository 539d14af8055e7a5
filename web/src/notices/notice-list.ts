// The notices of this visit: kept in memory, newest first, and forgotten at the end of the session. New ones are shown
// for some seconds.

import { computed, effect, signal } from "@preact/signals";
import { PublicIdKind, parsePublicId } from "../../../src/core/ids/public-id.ts";
import { markets } from "../markets/markets.ts";
import { requestOwn, session } from "../member/session.ts";
import { type AccountFrame, type Notice, noticeOf, reasonText } from "./notices.ts";

const keptMax = 100;
const toastsMax = 4;
const toastMs = 7_000;

export const notices = signal<readonly Notice[]>([]);
/** Keys of the notices that are shown over the page. */
const shownKeys = signal<readonly string[]>([]);
/** How many notices have come since the list was last open. */
export const unread = signal(0);

export const toasts = computed(() =>
  notices.value.filter(({ key }) => shownKeys.value.includes(key)).slice(0, toastsMax),
);

const timers = new Map<string, ReturnType<typeof setTimeout>>();

export function dismiss(key: string): void {
  clearTimeout(timers.get(key));
  timers.delete(key);
  shownKeys.value = shownKeys.value.filter((shown) => shown !== key);
}

/** Stops the countdown of all shown notices, while the user reads them, or starts it again. */
export function holdToasts(isHeld: boolean): void {
  for (const key of shownKeys.value) {
    clearTimeout(timers.get(key));
    if (!isHeld)
      timers.set(
        key,
        setTimeout(() => dismiss(key), toastMs),
      );
  }
}

export function forgetNotices(): void {
  for (const key of shownKeys.value) dismiss(key);
  notices.value = [];
  unread.value = 0;
}

function add(notice: Notice): void {
  const { key } = notice;
  const others = notices.value.filter((known) => known.key !== key);
  if (others.length === notices.value.length) unread.value += 1;
  notices.value = [notice, ...others].slice(0, keptMax);
  dismiss(key);
  shownKeys.value = [...shownKeys.value, key];
  timers.set(
    key,
    setTimeout(() => dismiss(key), toastMs),
  );
}

interface ListedOrder {
  readonly order_id: string;
  readonly expiry_reason: string | null;
}

/** Frames of perpetuals do not say why an order expired; the list of orders does. */
async function explain({ key, symbol, orderNo }: Notice): Promise<void> {
  const path = `/v1/orders/me?status=closed&symbol=${encodeURIComponent(symbol)}&limit=50`;
  const { items } = await requestOwn<{ items: ListedOrder[] }>("GET", path);
  const numberOf = (id: string) => parsePublicId(PublicIdKind.order, id)?.number;
  const order = items.find(({ order_id: id }) => numberOf(id) === orderNo);
  const why = reasonText(order?.expiry_reason);
  if (why === "") return;
  notices.value = notices.value.map((notice) =>
    notice.key === key ? { ...notice, text: `${notice.text}, ${why}` } : notice,
  );
}

/** Takes a frame of the account's streams. */
export function takeFrame(frame: AccountFrame): void {
  const market = (listed: string) => markets.value.find((known) => known.listed === listed);
  const notice = noticeOf(frame, market);
  if (notice === null) return;
  add(notice);
  // Without the reason the notice is still true.
  if (notice.kind === "expiry" && frame.e === "ORDER_TRADE_UPDATE")
    void explain(notice).catch(() => undefined);
}

effect(() => {
  if (session.value === null) forgetNotices();
});
