// Open sessions in memory, found by the hash of their token. Only maps tokens to sessions, and keeps from where each
// came; the owner of a session and whether it is open are in the venue's state.

import { createHash } from "node:crypto";
import type { LoginOrigin, SessionRow, SessionStore } from "../../ports/access/session-store.ts";
import { MaterialLoads, type MaterialLoadsOptions } from "./material-loads.ts";

/** The stored form of a token or nonce: SHA-256 in hex. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

export class SessionDirectory {
  readonly #store: SessionStore;
  readonly #byHash = new Map<string, number>();
  readonly #rows = new Map<number, SessionRow>();
  readonly #loads: MaterialLoads;

  constructor(store: SessionStore, options: MaterialLoadsOptions) {
    this.#store = store;
    const isNeeded = (sessionId: number) => !this.#rows.has(sessionId);
    this.#loads = new MaterialLoads((sessionId) => this.#loadOne(sessionId), isNeeded, options);
  }

  /** Loads every session, before the listener opens. */
  async loadAll(nowMs: number): Promise<void> {
    for (const row of await this.#store.loadSessions(nowMs)) this.#add(row);
  }

  /** Starts loading a session just opened. */
  load(sessionId: number): void {
    this.#loads.begin(sessionId);
  }

  /** Drops a session that has ended. */
  forget(sessionId: number): void {
    const row = this.#rows.get(sessionId);
    if (row === undefined) return;
    this.#rows.delete(sessionId);
    this.#byHash.delete(row.tokenHash);
  }

  /** The session of a token, perhaps an ended one; undefined for any other text. */
  find(token: string): number | undefined {
    return this.#byHash.get(hashOf(token));
  }

  /** From where the log-in of a session came; undefined until its row is loaded. */
  originOf(sessionId: number): LoginOrigin | undefined {
    return this.#rows.get(sessionId);
  }

  get isLoading(): boolean {
    return this.#loads.isBusy;
  }

  /** Resolves when all loads in progress have ended, with or without success. */
  settled(): Promise<void> {
    return this.#loads.settled();
  }

  async #loadOne(sessionId: number): Promise<void> {
    const row = await this.#store.loadSession(sessionId);
    // A session that ended before it was loaded has no row.
    if (row !== null) this.#add(row);
  }

  #add(row: SessionRow): void {
    this.#byHash.set(row.tokenHash, row.sessionId);
    this.#rows.set(row.sessionId, row);
  }
}
