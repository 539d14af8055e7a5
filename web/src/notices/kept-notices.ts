// The notices of a session over a reload: in the storage of this tab, with the account they are of, until the session ends.

import type { Notice } from "./notices.ts";

const storageName = "rialto-notices";

export interface KeptNotices {
  readonly notices: readonly Notice[];
  readonly unread: number;
}

/** The part of the browser's storage that is used. */
interface NoticeStorage {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

const texts = ["key", "kind", "text", "symbol", "proof"] as const;
const numbers = ["atMs", "orderNo"] as const;

function isNotice(value: unknown): value is Notice {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return (
    texts.every((name) => typeof fields[name] === "string") &&
    numbers.every((name) => Number.isFinite(fields[name]))
  );
}

/** Returns what was kept for the account; nothing for another account, or if something else was stored. */
export function keptNotices(storage: NoticeStorage, userId: string): KeptNotices {
  const nothing = { notices: [], unread: 0 };
  try {
    const kept = JSON.parse(storage.getItem(storageName) ?? "null");
    if (kept?.userId !== userId) return nothing;
    const notices = (kept.notices as unknown[]).filter(isNotice);
    return { notices, unread: Math.min(Number(kept.unread) || 0, notices.length) };
  } catch {
    // Another version of the page, or a person, has written it.
    return nothing;
  }
}

export function keepNotices(storage: NoticeStorage, userId: string, kept: KeptNotices): void {
  storage.setItem(storageName, JSON.stringify({ userId, ...kept }));
}

export function dropNotices(storage: NoticeStorage): void {
  storage.removeItem(storageName);
}
