// Where wallet users, their challenges and the hashes of their tokens rest. Which sessions are open is
// venue state and comes from events; this store never decides whether a token is valid. Types only.

/** Who logs in with a wallet: one account for each key. */
export interface WalletUser {
  /** 64 hexadecimal digits that follow from the key. */
  readonly fingerprint: string;
  readonly account: number;
  /** The readable part of the party id, as it was at the first login. */
  readonly partyHint: string;
  /** Standard base64. */
  readonly publicKey: string;
  readonly createdMs: number;
}

/** What a wallet was asked to sign. */
export interface ChallengeRow {
  readonly nonceHash: string;
  readonly publicKey: string;
  readonly partyHint: string;
  readonly message: string;
  readonly expiresMs: number;
}

export interface SessionRow {
  readonly sessionId: number;
  /** 64 hexadecimal digits. */
  readonly tokenHash: string;
  readonly account: number;
  readonly expiresMs: number;
}

export interface SessionStore {
  /** Adds a challenge, and removes those that have ended by `nowMs`. */
  addChallenge(row: ChallengeRow, nowMs: number): Promise<void>;
  /** Takes a challenge out, if it is this key's and has not ended: it can be taken once. */
  takeChallenge(nonceHash: string, publicKey: string, nowMs: number): Promise<ChallengeRow | null>;
  findUser(fingerprint: string): Promise<WalletUser | null>;
  userOf(account: number): Promise<WalletUser | null>;
  /** Adds a user and answers it, or the one of the same key who was there first. */
  addUser(user: WalletUser): Promise<WalletUser>;
  /** Forgets whose account a key had, if that is still the account. */
  forgetUser(user: Pick<WalletUser, "fingerprint" | "account">): Promise<void>;
  /** Adds a session, and removes those that have ended by `nowMs`. */
  addSession(row: SessionRow, nowMs: number): Promise<void>;
  removeSession(sessionId: number): Promise<void>;
  loadSession(sessionId: number): Promise<SessionRow | null>;
  loadSessions(nowMs: number): Promise<SessionRow[]>;
}
