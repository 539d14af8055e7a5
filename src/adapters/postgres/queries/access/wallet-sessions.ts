// Stores wallet users, login challenges and hashes of session tokens.

import type {
  ChallengeRow,
  SessionRow,
  SessionStore,
  WalletUser,
} from "../../../../ports/access/session-store.ts";
import type { Sql } from "../../connection.ts";
import type { Stored } from "../../rows.ts";

export class PostgresSessions implements SessionStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async addChallenge(row: ChallengeRow, nowMs: number): Promise<void> {
    const { nonceHash, publicKey, partyHint, message, expiresMs } = row;
    await this.#sql`
      with ended as (delete from wallet_challenges where expires_ms <= ${nowMs})
      insert into wallet_challenges (nonce_hash, public_key, party_hint, message, expires_ms)
      values (${nonceHash}, ${publicKey}, ${partyHint}, ${message}, ${expiresMs})`;
  }

  async takeChallenge(
    nonceHash: string,
    publicKey: string,
    nowMs: number,
  ): Promise<ChallengeRow | null> {
    const [row] = await this.#sql<Stored<ChallengeRow>[]>`
      delete from wallet_challenges
      where nonce_hash = ${nonceHash} and public_key = ${publicKey} and expires_ms > ${nowMs}
      returning *`;
    if (row === undefined) return null;
    return {
      nonceHash: row.nonce_hash,
      publicKey: row.public_key,
      partyHint: row.party_hint,
      message: row.message,
      expiresMs: Number(row.expires_ms),
    };
  }

  async findUser(fingerprint: string): Promise<WalletUser | null> {
    const [row] = await this.#sql<
      Stored<Omit<WalletUser, "createdMs"> & { readonly createdUs: number }>[]
    >`
      select * from wallet_users where fingerprint = ${fingerprint}`;
    return row === undefined ? null : userOf(row);
  }

  async userOf(account: number): Promise<WalletUser | null> {
    const [row] = await this.#sql<
      Stored<Omit<WalletUser, "createdMs"> & { readonly createdUs: number }>[]
    >`
      select * from wallet_users where account = ${account}`;
    return row === undefined ? null : userOf(row);
  }

  async addUser(user: WalletUser): Promise<WalletUser> {
    const { fingerprint, account, partyHint, publicKey, createdMs } = user;
    await this.#sql`
      insert into wallet_users (fingerprint, account, party_hint, public_key, created_us)
      values (${fingerprint}, ${account}, ${partyHint}, ${publicKey}, ${createdMs * 1000})
      on conflict (fingerprint) do nothing`;
    return (await this.findUser(fingerprint)) ?? user;
  }

  async forgetUser({
    fingerprint,
    account,
  }: Pick<WalletUser, "fingerprint" | "account">): Promise<void> {
    await this.#sql`
      delete from wallet_users where fingerprint = ${fingerprint} and account = ${account}`;
  }

  async addSession(row: SessionRow, nowMs: number): Promise<void> {
    const { sessionId, tokenHash, account, expiresMs, device, address } = row;
    await this.#sql`
      with ended as (delete from wallet_sessions where expires_ms <= ${nowMs})
      insert into wallet_sessions (session_id, token_hash, account, expires_ms, device, address)
      values (${sessionId}, ${tokenHash}, ${account}, ${expiresMs}, ${device}, ${address})`;
  }

  async removeSession(sessionId: number): Promise<void> {
    await this.#sql`delete from wallet_sessions where session_id = ${sessionId}`;
  }

  async loadSession(sessionId: number): Promise<SessionRow | null> {
    const [row] = await this.#sql<Stored<SessionRow>[]>`
      select * from wallet_sessions where session_id = ${sessionId}`;
    return row === undefined ? null : sessionOf(row);
  }

  async loadSessions(nowMs: number): Promise<SessionRow[]> {
    const rows = await this.#sql<Stored<SessionRow>[]>`
      select * from wallet_sessions where expires_ms > ${nowMs}`;
    return rows.map(sessionOf);
  }
}

function userOf(
  row: Stored<Omit<WalletUser, "createdMs"> & { readonly createdUs: number }>,
): WalletUser {
  return {
    fingerprint: row.fingerprint,
    account: Number(row.account),
    partyHint: row.party_hint,
    publicKey: row.public_key,
    createdMs: Math.floor(Number(row.created_us) / 1000),
  };
}

function sessionOf(row: Stored<SessionRow>): SessionRow {
  return {
    sessionId: Number(row.session_id),
    tokenHash: row.token_hash,
    account: Number(row.account),
    expiresMs: Number(row.expires_ms),
    device: row.device,
    address: row.address,
  };
}
