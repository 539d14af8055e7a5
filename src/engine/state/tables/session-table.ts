// Wallet sessions: account, expiry and key. Token hashes are stored in their own table. A session that ended
// is removed.

import { assert } from "../../../core/assert.ts";
import { sessionsMax } from "../../../core/limits.ts";

export interface SessionState {
  readonly sessionId: number;
  readonly account: number;
  /** Microseconds UTC. */
  readonly expiresUs: number;
  /** 0 for none. */
  keyId: number;
}

export class SessionTable {
  readonly #sessions = new Map<number, SessionState>();
  /** Sessions of an account, oldest first. */
  readonly #ofAccount = new Map<number, SessionState[]>();

  hasRoom(): boolean {
    return this.#sessions.size < sessionsMax;
  }

  get(sessionId: number): SessionState | undefined {
    return this.#sessions.get(sessionId);
  }

  /** Open sessions of the account, oldest first. */
  ofAccount(account: number): readonly SessionState[] {
    return this.#ofAccount.get(account) ?? [];
  }

  /** Adds a session; asserts that its id is new. */
  open(session: SessionState): void {
    assert(!this.#sessions.has(session.sessionId), "a session must be opened only once");
    this.#sessions.set(session.sessionId, session);
    const others = this.#ofAccount.get(session.account);
    if (others === undefined) this.#ofAccount.set(session.account, [session]);
    else others.push(session);
  }

  /** Removes a session; asserts that it is open. */
  close(sessionId: number): void {
    const session = this.#sessions.get(sessionId);
    assert(session !== undefined, "a session must be open when it is closed");
    this.#sessions.delete(sessionId);
    const left = this.ofAccount(session.account).filter((one) => one !== session);
    if (left.length === 0) this.#ofAccount.delete(session.account);
    else this.#ofAccount.set(session.account, left);
  }

  /** All sessions by ascending id, which is also each account's order of opening. */
  all(): SessionState[] {
    return [...this.#sessions.values()].sort((a, b) => a.sessionId - b.sessionId);
  }
}
