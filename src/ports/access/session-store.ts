// Stores wallet users, their challenges and token hashes. Which sessions are open is venue state from events;
// this store does not decide whether a token is valid. Types only.

/** A wallet user: one account per key. */
export interface WalletUser {
  /** 64 hex digits derived from the key. */
  readonly fingerprint: string;
  readonly account: number;
  /** The readable part of the party id at the first login. */
  readonly partyHint: string;
  /** Standard base64. */
  readonly publicKey: string;
  readonly createdMs: number;
}

/** A challenge given to a wallet to sign. */
export interface ChallengeRow {
  readonly nonceHash: string;
  readonly publicKey: string;
  readonly partyHint: string;
  readonly message: string;
  readonly expiresMs: number;
}

export interface SessionRow {
  readonly sessionId: number;
  /** 64 hex digits. */
  readonly tokenHash: string;
  readonly account: number;
  readonly expiresMs: number;
}

export interface SessionStore {
  /** Adds a challenge and removes those expired by `nowMs`. */
  addChallenge(row: ChallengeRow, nowMs: number): Promise<void>;
  /** Consumes a challenge if it belongs to this key and has not expired. Succeeds once. */
  takeChallenge(nonceHash: string, publicKey: string, nowMs: number): Promise<ChallengeRow | null>;
  findUser(fingerprint: string): Promise<WalletUser | null>;
  userOf(account: number): Promise<WalletUser | null>;
  /** Adds and returns a user, or returns the existing user of the same key. */
  addUser(user: WalletUser): Promise<WalletUser>;
  /** Removes a key's user if it still has this account. */
  forgetUser(user: Pick<WalletUser, "fingerprint" | "account">): Promise<void>;
  /** Adds a session and removes those expired by `nowMs`. */
  addSession(row: SessionRow, nowMs: number): Promise<void>;
  removeSession(sessionId: number): Promise<void>;
  loadSession(sessionId: number): Promise<SessionRow | null>;
  loadSessions(nowMs: number): Promise<SessionRow[]>;
}
