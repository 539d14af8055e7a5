// Reads the notices of a swap that wait in the table for delivery to providers.

import type { Sql } from "../../../src/adapters/postgres/connection.ts";
import type { ProviderNotice } from "../../../src/ports/swaps/liquidity-providers.ts";

interface NoticeRow {
  readonly notice_id: string;
  readonly provider: string;
  readonly swap_id: string;
  readonly created_ms: string;
  readonly kind: number;
  readonly body: string;
}

/** Returns the notices in order of delivery. */
export async function noticesOf(sql: Sql, swapId: string): Promise<ProviderNotice[]> {
  const rows = await sql<NoticeRow[]>`
    select notice_id, provider, swap_id, created_ms, kind, body from swap_notices
    where swap_id = ${swapId} order by notice_id`;
  return rows.map((row) => {
    const notice = {
      noticeId: Number(row.notice_id),
      provider: row.provider,
      swapId: row.swap_id,
      createdMs: Number(row.created_ms),
    };
    const body = JSON.parse(row.body);
    return row.kind === 1
      ? { ...notice, kind: "result", body }
      : { ...notice, kind: "cancel", body };
  });
}
