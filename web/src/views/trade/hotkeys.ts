// The keys of the trading view. Single keys act only while nothing is typed, and a user can switch them off, because
// speech input can press them by accident.

import { signal } from "@preact/signals";
import { keptSignal } from "../../kept-signal.ts";
import { market } from "../../markets/markets.ts";
import { cancelRequest } from "../../markets/ticket-requests.ts";
import { route } from "../../route.ts";
import { accountFault, forgetFault } from "./account-fault.ts";
import { deleteSelected, isFull, takeTool } from "./chart/chart-settings.ts";
import { isListOpen } from "./market/market-bar.tsx";
import { focusTicket, openTicket } from "./panes.ts";

interface Hotkey {
  /** Name of the key as on the keyboard. */
  readonly key: string;
  readonly withShift?: boolean;
  readonly does: string;
  act(): void;
}

export const isHelpOpen = signal(false);

export const areHotkeysOn = keptSignal<boolean>("rialto-hotkeys", true, (value) =>
  typeof value === "boolean" ? value : undefined,
);

function cancelAll(): void {
  const symbol = market.value?.symbol;
  if (symbol !== undefined) cancelRequest.value = { symbol, side: null };
}

export const hotkeys: readonly Hotkey[] = [
  { key: "B", does: "Buy: choose the side and select the quantity", act: () => openTicket("BUY") },
  {
    key: "S",
    does: "Sell: choose the side and select the quantity",
    act: () => openTicket("SELL"),
  },
  { key: "T", does: "Go to the order ticket", act: focusTicket },
  { key: "X", withShift: true, does: "Cancel all orders in this market", act: cancelAll },
  {
    key: "M",
    does: "Search markets",
    act: () => {
      // The chart would cover the list.
      isFull.value = false;
      isListOpen.value = true;
    },
  },
  {
    key: "F",
    does: "Chart in full screen, and back",
    act: () => {
      isFull.value = !isFull.value;
    },
  },
  {
    key: "Delete",
    does: "Delete the line or cancel the order on the chart",
    act: () => deleteSelected(market.value?.symbol ?? ""),
  },
  {
    key: "Escape",
    does: "Leave the ticket, a list or the full screen, put a drawing tool down",
    act: () => {
      // First a message that is in the way.
      if (isFull.value && accountFault.value !== "") {
        forgetFault();
        return;
      }
      takeTool(null);
      isFull.value = false;
    },
  },
  {
    key: "?",
    does: "Show these keys",
    act: () => {
      isHelpOpen.value = true;
    },
  },
];

/** Whether a key goes into a field, or to a dialog that covers the page. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  const fields =
    "input:not([type=checkbox], [type=range]), textarea, select, [contenteditable], dialog";
  return target.closest(fields) !== null || document.querySelector("dialog[open]") !== null;
}

/**
 * Whether a letter of the ticket goes to one of its number fields. No number has a letter, so it acts there too, and is
 * never typed: not while its key is held down either, nor with Shift.
 */
function isTicketInNumber({ key, target }: KeyboardEvent): boolean {
  const isField = target instanceof HTMLInputElement && target.inputMode === "decimal";
  return isField && /^[bst]$/i.test(key) && target.closest("#ticket") !== null;
}

/** Leaves a field of the ticket, so that the single keys act again. */
function leaveTicket(target: EventTarget | null): void {
  if (target instanceof HTMLElement && target.closest("#ticket") !== null) target.blur();
}

function hotkeyOf({ key, shiftKey }: KeyboardEvent): Hotkey | undefined {
  const name = key.length === 1 ? key.toUpperCase() : key;
  // The question mark needs Shift on many keyboards, and on others not.
  return hotkeys.find(
    (one) => one.key === name && (name === "?" || (one.withShift ?? false) === shiftKey),
  );
}

function press(event: KeyboardEvent): void {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const isInNumber = areHotkeysOn.value && isTicketInNumber(event);
  if (isInNumber) event.preventDefault();
  const hotkey = hotkeyOf(event);
  if (hotkey === undefined) return;
  const isSingle = hotkey.key.length === 1;
  const { target } = event;
  if (isSingle && (!areHotkeysOn.value || event.repeat || isListOpen.value)) return;
  if (hotkey.key === "Escape") leaveTicket(target);
  if (isTyping(target) && !isInNumber) return;
  if (isSingle) event.preventDefault();
  hotkey.act();
}

/** Listens to the keys of the trading view. Returns a function that ends this. */
export function listenToHotkeys(): () => void {
  const take = (event: KeyboardEvent): void => {
    if (route.value.page === "trade" && !event.defaultPrevented) press(event);
  };
  addEventListener("keydown", take);
  return () => removeEventListener("keydown", take);
}
