// Members of settlement, as fronts read them.

import type { MemberReader, MemberRecord } from "../../../../ports/ledger/member-reader.ts";
import type { Sql } from "../../connection.ts";

export class PostgresMembers implements MemberReader {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async memberOf(account: number): Promise<MemberRecord | null> {
    const [row] = await this.#sql<{ party: string; was_active: boolean }[]>`
      select party, was_active from settlement_members where account = ${account}`;
    return row === undefined ? null : { party: row.party, wasActive: row.was_active };
  }
}
