// Wallet users, challenges and token hashes in memory, with the rules of the real store.

import type {
  ChallengeRow,
  SessionRow,
  SessionStore,
  WalletUser,
} from "../../src/ports/access/session-store.ts";

export class FakeSessionStore implements SessionStore {
  readonly users = new Map<string, WalletUser>();
  readonly challenges = new Map<string, ChallengeRow>();
  readonly rows = new Map<number, SessionRow>();
  /** Error with which the removal of a session fails; null for none. */
  fault: Error | null = null;

  async addChallenge(row: ChallengeRow): Promise<void> {
    this.challenges.set(row.nonceHash, row);
  }

  async takeChallenge(
    nonceHash: string,
    publicKey: string,
    nowMs: number,
  ): Promise<ChallengeRow | null> {
    const row = this.challenges.get(nonceHash);
    if (row?.publicKey !== publicKey || row.expiresMs <= nowMs) return null;
    this.challenges.delete(nonceHash);
    return row;
  }

  async findUser(fingerprint: string): Promise<WalletUser | null> {
    return this.users.get(fingerprint) ?? null;
  }

  async userOf(account: number): Promise<WalletUser | null> {
    return [...this.users.values()].find((user) => user.account === account) ?? null;
  }

  async addUser(user: WalletUser): Promise<WalletUser> {
    const known = this.users.get(user.fingerprint);
    if (known === undefined) this.users.set(user.fingerprint, user);
    return known ?? user;
  }

  async forgetUser({ fingerprint, account }: WalletUser): Promise<void> {
    if (this.users.get(fingerprint)?.account === account) this.users.delete(fingerprint);
  }

  async addSession(row: SessionRow): Promise<void> {
    this.rows.set(row.sessionId, row);
  }

  async removeSession(sessionId: number): Promise<void> {
    if (this.fault !== null) throw this.fault;
    this.rows.delete(sessionId);
  }

  async loadSession(sessionId: number): Promise<SessionRow | null> {
    return this.rows.get(sessionId) ?? null;
  }

  async loadSessions(nowMs: number): Promise<SessionRow[]> {
    return [...this.rows.values()].filter(({ expiresMs }) => expiresMs > nowMs);
  }
}
