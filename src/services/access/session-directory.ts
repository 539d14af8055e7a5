// Open sessions in memory, found by the hash of their token. Whose a session is and whether it is
// still open is the venue's state and asked there; this knows only which token opens which.

import { createHash } from "node:crypto";
import type { SessionRow, SessionStore } from "../../ports/access/session-store.ts";
import { MaterialLoads, type MaterialLoadsOptions } from "./material-loads.ts";

/** What stands for a token or a nonce at rest: hexadecimal SHA-256. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

export class SessionDirectory {
  readonly #store: SessionStore;
  readonly #byHash = new Map<string, number>();
  readonly #hashes = new Map<number, string>();
  readonly #loads: MaterialLoads;

  constructor(store: SessionStore, options: MaterialLoadsOptions) {
    this.#store = store;
    const isNeeded = (sessionId: number) => !this.#hashes.has(sessionId);
    this.#loads = new MaterialLoads((sessionId) => this.#loadOne(sessionId), isNeeded, options);
  }

  /** Loads every session; called before the listener opens. */
  async loadAll(nowMs: number): Promise<void> {
    for (const row of await this.#store.loadSessions(nowMs)) this.#add(row);
  }

  /** Begins to load a session just opened. */
  load(sessionId: number): void {
    this.#loads.begin(sessionId);
  }

  /** Drops a session that has ended. */
  forget(sessionId: number): void {
    const hash = this.#hashes.get(sessionId);
    if (hash === undefined) return;
    this.#hashes.delete(sessionId);
    this.#byHash.delete(hash);
  }

  /** The session that a token opens, ended ones perhaps included; undefined for any other text. */
  find(token: string): number | undefined {
    return this.#byHash.get(hashOf(token));
  }

  get isLoading(): boolean {
    return this.#loads.isBusy;
  }

  /** Resolves when the loads now under way have ended, well or not. */
  settled(): Promise<void> {
    return this.#loads.settled();
  }

  async #loadOne(sessionId: number): Promise<void> {
    const row = await this.#store.loadSession(sessionId);
    // A session that ended before it was loaded has no row any more, and opens nothing.
    if (row !== null) this.#add(row);
  }

  #add({ sessionId, tokenHash }: SessionRow): void {
    this.#byHash.set(tokenHash, sessionId);
    this.#hashes.set(sessionId, tokenHash);
  }
}
