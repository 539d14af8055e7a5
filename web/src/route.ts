// The current view, from the fragment of the address (`#/trade/BTC-PERP`, `#/chain/12`). So every view has a link,
// although the venue serves only one page.

import { signal } from "@preact/signals";

export const pages = ["trade", "wallet", "history", "swaps", "keys", "chain", "referral"] as const;
export type Page = (typeof pages)[number];

export interface Route {
  readonly page: Page;
  /** The market, swap or entry of the view; empty for none. */
  readonly subject: string;
}

/** Text of a part of the address; empty if its escapes are broken. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

function read(): Route {
  const [, word = "", subject = ""] = location.hash.split("/");
  const page = pages.find((known) => known === word) ?? "trade";
  return { page, subject: decoded(subject) };
}

// Links from before the page of traffic moved.
if (location.hash === "#/traffic") location.replace("/ops/traffic");

export const route = signal<Route>(read());

addEventListener("hashchange", () => {
  route.value = read();
  scrollTo(0, 0);
});

export function addressOf(page: Page, subject = ""): string {
  return `#/${page}${subject === "" ? "" : `/${encodeURIComponent(subject)}`}`;
}

/** Returns the referral code of the link that opened the page; empty without one. */
export function invitation(): string {
  return new URLSearchParams(location.search).get("ref") ?? "";
}

/** Returns the link by which a new user joins with a referral code. */
export function invitationLink(code: string): string {
  return `${location.origin}/?ref=${encodeURIComponent(code)}`;
}
