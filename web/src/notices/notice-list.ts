// The notices of this session: newest first, over reloads of this tab too, and forgotten at its end. New ones are shown for
// some seconds.

import { computed, effect, signal } from "@preact/signals";
import { isReplacedTpSl, type Placed } from "../history/past-order.ts";
import { markets } from "../markets/markets.ts";
import { requestOwn, session } from "../member/session.ts";
import { orderNumber } from "../proof-reference.ts";
import { dropNotices, keepNotices, keptNotices } from "./kept-notices.ts";
import {
  type AccountFrame,
  isOfPosition,
  type Notice,
  noticeOf,
  reasonText,
  replacedNotice,
} from "./notices.ts";
import { Replacements } from "./replacements.ts";
import { groupOf, isOneAction, toastOf } from "./toasts.ts";

/** Also a bound of what is stored: a notice has some 200 bytes. */
const keptMax = 100;
/** More would cover what one trades with. */
const toastsMax = 3;
const toastMs = 7_000;

const begun = session.peek();
const kept = begun === null ? null : keptNotices(sessionStorage, begun.userId);

export const notices = signal<readonly Notice[]>(kept?.notices ?? []);
/** How many notices have come since the list was last open. */
export const unread = signal(kept?.unread ?? 0);

interface Shown {
  readonly group: string;
  /** Keys of the notices of this group that have come since it was last dismissed. */
  readonly keys: ReadonlySet<string>;
}

/** What is shown over the page, newest first. */
const shownGroups = signal<readonly Shown[]>([]);

export const toasts = computed(() =>
  shownGroups.value.slice(0, toastsMax).flatMap(({ keys }) => {
    const newest = notices.value.find(({ key }) => keys.has(key));
    return newest === undefined ? [] : [toastOf(newest, keys.size)];
  }),
);

const replacements = new Replacements();

const timers = new Map<string, ReturnType<typeof setTimeout>>();

export function dismiss(group: string): void {
  clearTimeout(timers.get(group));
  timers.delete(group);
  shownGroups.value = shownGroups.value.filter((shown) => shown.group !== group);
}

function countDown(group: string): void {
  clearTimeout(timers.get(group));
  timers.set(
    group,
    setTimeout(() => dismiss(group), toastMs),
  );
}

/** Stops the countdown of all shown notices, while the user reads them, or starts it again. */
export function holdToasts(isHeld: boolean): void {
  for (const { group } of shownGroups.value) {
    if (isHeld) clearTimeout(timers.get(group));
    else if (timers.has(group)) countDown(group);
  }
}

export function forgetNotices(): void {
  for (const { group } of shownGroups.value) dismiss(group);
  notices.value = [];
  unread.value = 0;
}

/** Adds a notice, in the place of one with its key, and shows it. */
export function announce(notice: Notice): void {
  const { key } = notice;
  const group = groupOf(notice);
  const before = notices.value.find((one) => groupOf(one) === group);
  const others = notices.value.filter((known) => known.key !== key);
  if (others.length === notices.value.length) unread.value += 1;
  notices.value = [notice, ...others].slice(0, keptMax);
  const known = shownGroups.value.find((shown) => shown.group === group);
  const isJoined = before !== undefined && isOneAction(before, notice);
  const keys = new Set([...(isJoined ? (known?.keys ?? []) : []), key]);
  shownGroups.value = [
    { group, keys },
    ...shownGroups.value.filter((shown) => shown.group !== group),
  ];
  // Whoever looked away must still learn of it.
  if (notice.kind !== "unprotected") countDown(group);
}

/**
 * Does `work`, which changes the order of the notice and tells whether another one has replaced it; then announces the
 * change. The cancel of a replaced order is not announced, unless `work` fails; nor are those of `others`, the numbers of
 * the orders that are replaced with it.
 */
export async function announcingChange(
  change: Notice,
  work: () => Promise<"replaced" | "kept">,
  others: readonly number[] = [],
): Promise<void> {
  const orderNos = [change.orderNo, ...others];
  for (const orderNo of orderNos) replacements.begin(orderNo);
  let outcome: "replaced" | "kept" | "failed" = "failed";
  try {
    outcome = await work();
    announce(change);
  } finally {
    for (const orderNo of orderNos) {
      const cancel = outcome === "replaced" ? null : replacements.kept(orderNo);
      if (outcome === "replaced") replacements.replaced(orderNo);
      if (cancel !== null) announce(cancel);
    }
  }
}

async function ordersIn(symbol: string, status: "all" | "closed"): Promise<readonly Placed[]> {
  const path = `/v1/orders/me?status=${status}&symbol=${encodeURIComponent(symbol)}&limit=50`;
  return (await requestOwn<{ items: Placed[] }>("GET", path)).items;
}

/** Why an order expired, in words; empty if that is unknown. */
export async function expiryText(symbol: string, orderNo: number): Promise<string> {
  const items = await ordersIn(symbol, "closed");
  const order = items.find(({ order_id: id }) => orderNumber(id) === orderNo);
  return reasonText(order?.expiry_reason);
}

/** Frames of perpetuals do not say why an order expired; the list of orders does. */
async function explain({ key, symbol, orderNo }: Notice): Promise<void> {
  const why = await expiryText(symbol, orderNo);
  if (why !== "") append(key, `, ${why}`);
}

/**
 * Announces the end of an order that closed a position. Frames do not say whether the user has cancelled it or a newer one
 * has replaced it, which is no cancel; the list of orders does.
 */
async function announceEnd(notice: Notice): Promise<void> {
  const items = await ordersIn(notice.symbol, "all").catch(() => []);
  const order = items.find(({ order_id: id }) => orderNumber(id) === notice.orderNo);
  const isReplaced = order !== undefined && isReplacedTpSl(order, items);
  announce(isReplaced ? replacedNotice(notice) : notice);
}

function append(key: string, more: string): void {
  notices.value = notices.value.map((notice) =>
    notice.key === key ? { ...notice, text: notice.text + more } : notice,
  );
}

interface Payment {
  readonly symbol: string;
  readonly amount: string;
  readonly time: string;
}

/** Frames of funding do not name the market; the list of payments does, unless two markets paid the same. */
async function nameMarket({ key, atMs }: Notice, paid: string): Promise<void> {
  const path = `/v1/funding/me?start_ms=${atMs}&end_ms=${atMs}`;
  const { items } = await requestOwn<{ items: Payment[] }>("GET", path);
  const same = items.filter(({ amount }) => Number(amount) === Number(paid));
  const [payment] = same;
  if (payment !== undefined && same.length === 1) append(key, ` on ${payment.symbol}`);
}

/** Takes a frame of the account's streams. */
export function takeFrame(frame: AccountFrame): void {
  const notice = noticeOf(frame, {
    marketOf: (listed) => markets.value.find((known) => known.listed === listed),
    realizedOf: (key) => notices.value.find((known) => known.key === key)?.realized,
  });
  if (notice === null || replacements.takes(notice)) return;
  if (notice.kind === "cancel" && isOfPosition(frame)) {
    void announceEnd(notice);
    return;
  }
  announce(notice);
  // Without the reason the notice is still true.
  if (notice.kind === "expiry" && frame.e === "ORDER_TRADE_UPDATE")
    void explain(notice).catch(() => undefined);
  const paid = frame.a?.B[0]?.bc;
  if (notice.kind === "funding" && paid !== undefined)
    void nameMarket(notice, paid).catch(() => undefined);
}

effect(() => {
  if (session.value !== null) return;
  forgetNotices();
  replacements.forget();
});

effect(() => {
  const { value } = session;
  if (value === null) dropNotices(sessionStorage);
  else {
    const now = { notices: notices.value, unread: unread.value };
    keepNotices(sessionStorage, value.userId, now);
  }
});
