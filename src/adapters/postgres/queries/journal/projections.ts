// Reads the projections for comparison with the journal. One session and one database snapshot are used, so that rows
// and journal show the same moment while a venue writes.

import type { PostgresConnectionOptions } from "../../connection.ts";
import { PgSession } from "../../pg-session.ts";

export interface ProjectedBalance {
  readonly account: number;
  readonly wallet: number;
  readonly asset: number;
  readonly total: bigint;
  readonly reserved: bigint;
}

export interface ProjectedPosition {
  readonly account: number;
  readonly market: number;
  readonly leverage: number;
  readonly qty: number;
  readonly entryValue: bigint;
  readonly realisedPnl: bigint;
}

export interface ProjectedOrder {
  readonly orderId: number;
  readonly account: number;
  readonly market: number;
  readonly side: number;
  readonly price: number;
  readonly qty: number;
  readonly filledQty: number;
  readonly status: number;
}

export interface ProjectedAccount {
  readonly account: number;
  readonly type: number;
  readonly flags: number;
}

export interface ProjectedKey {
  readonly keyId: number;
  readonly account: number;
  readonly keyType: number;
  readonly tier: number;
  readonly permissions: number;
  readonly isRevoked: boolean;
}

type Texts<T> = { readonly [K in keyof T]: string };

const settings = { jit: "off", statement_timeout: "0" };
const orderRows = 10_000;

export class StoredProjections {
  readonly #session: PgSession;

  /** Opens the session and its snapshot, which is valid until `close`. */
  static async open(connection: PostgresConnectionOptions): Promise<StoredProjections> {
    const session = await PgSession.open(connection, "reader", settings);
    await session.queryText("begin isolation level repeatable read read only");
    return new StoredProjections(session);
  }

  private constructor(session: PgSession) {
    this.#session = session;
  }

  /** Returns the seq of the last journal row in the snapshot, or that with which a fork begins; 0 for an empty journal. */
  async lastSeq(): Promise<number> {
    const [row] = await this.#session.queryText<{ seq: string }>(
      `select greatest(coalesce((select max(seq) from journal), 0),
                       coalesce((select seq from fork_origin), 0))::text as seq`,
    );
    return Number(row?.seq);
  }

  async balances(): Promise<ProjectedBalance[]> {
    const rows = await this.#session.queryText<Texts<ProjectedBalance>>(
      "select account::text, wallet::text, asset::text, total::text, reserved::text from balances",
    );
    return rows.map((row) => ({
      account: Number(row.account),
      wallet: Number(row.wallet),
      asset: Number(row.asset),
      total: BigInt(row.total),
      reserved: BigInt(row.reserved),
    }));
  }

  async positions(): Promise<ProjectedPosition[]> {
    const rows = await this.#session.queryText<Texts<ProjectedPosition>>(
      `select account::text, market::text, leverage::text, qty::text,
              entry_value::text as "entryValue", realised_pnl::text as "realisedPnl"
       from positions`,
    );
    return rows.map((row) => ({
      account: Number(row.account),
      market: Number(row.market),
      leverage: Number(row.leverage),
      qty: Number(row.qty),
      entryValue: BigInt(row.entryValue),
      realisedPnl: BigInt(row.realisedPnl),
    }));
  }

  /** Passes every stored order to `take`, by ascending id. */
  async orders(take: (order: ProjectedOrder) => void): Promise<void> {
    for (let after = "0"; ; ) {
      const rows = await this.#session.queryText<Texts<ProjectedOrder>>(
        `select order_id::text as "orderId", account::text, market::text, side::text, price::text,
                qty::text, filled_qty::text as "filledQty", status::text
         from orders where order_id > ${BigInt(after)} order by order_id limit ${orderRows}`,
      );
      for (const row of rows) {
        take({
          orderId: Number(row.orderId),
          account: Number(row.account),
          market: Number(row.market),
          side: Number(row.side),
          price: Number(row.price),
          qty: Number(row.qty),
          filledQty: Number(row.filledQty),
          status: Number(row.status),
        });
      }
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.orderId;
    }
  }

  async accounts(): Promise<ProjectedAccount[]> {
    const rows = await this.#session.queryText<Texts<ProjectedAccount>>(
      "select account::text, type::text, flags::text from accounts",
    );
    return rows.map(({ account, type, flags }) => ({
      account: Number(account),
      type: Number(type),
      flags: Number(flags),
    }));
  }

  /** Returns all registered keys, including revoked ones. */
  async keys(): Promise<ProjectedKey[]> {
    const rows = await this.#session.queryText<Texts<ProjectedKey>>(
      `select key_id::text as "keyId", account::text, key_type::text as "keyType", tier::text,
              permissions::text, (revoked_us is not null)::text as "isRevoked"
       from api_keys where is_registered`,
    );
    return rows.map((row) => ({
      keyId: Number(row.keyId),
      account: Number(row.account),
      keyType: Number(row.keyType),
      tier: Number(row.tier),
      permissions: Number(row.permissions),
      isRevoked: row.isRevoked === "true",
    }));
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
