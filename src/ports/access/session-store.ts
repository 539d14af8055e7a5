// Stores wallet users, their challenges and token hashes. Which sessions are open is venue state, which is folded from
// events. This store does not decide whether a token is valid. Types only.

/** A wallet user. Each wallet key has one account. */
export interface WalletUser {
  /** Fingerprint of the wallet key: 64 hex digits. */
  readonly fingerprint: string;
  readonly account: number;
  /** Readable part of the user's party id, as given at the first login. */
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

/** From where a log-in came, for its owner to recognise. A client can claim any device, so nothing is decided by it. */
export interface LoginOrigin {
  /** Browser and system, in words of a fixed list; empty if they are not known. */
  readonly device: string;
  /** The client's address as the venue saw it; empty for sessions that a version before 0017 stored. */
  readonly address: string;
}

export interface SessionRow extends LoginOrigin {
  readonly sessionId: number;
  /** 64 hex digits. */
  readonly tokenHash: string;
  readonly account: number;
  readonly expiresMs: number;
}

export interface SessionStore {
  /** Adds a challenge, and removes the challenges that have expired by `nowMs`. */
  addChallenge(row: ChallengeRow, nowMs: number): Promise<void>;
  /**
   * Removes a challenge and returns it, if it belongs to this key and has not expired. A challenge can be taken only
   * once.
   */
  takeChallenge(nonceHash: string, publicKey: string, nowMs: number): Promise<ChallengeRow | null>;
  findUser(fingerprint: string): Promise<WalletUser | null>;
  userOf(account: number): Promise<WalletUser | null>;
  /** Adds and returns a user, or returns the existing user of the same key. */
  addUser(user: WalletUser): Promise<WalletUser>;
  /** Removes the user of a key if the user still has this account. */
  forgetUser(user: Pick<WalletUser, "fingerprint" | "account">): Promise<void>;
  /** Adds a session, and removes the sessions that have expired by `nowMs`. */
  addSession(row: SessionRow, nowMs: number): Promise<void>;
  removeSession(sessionId: number): Promise<void>;
  loadSession(sessionId: number): Promise<SessionRow | null>;
  loadSessions(nowMs: number): Promise<SessionRow[]>;
}
