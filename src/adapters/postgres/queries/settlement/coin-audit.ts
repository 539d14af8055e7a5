// The coins on record of one party, compared with what the ledger lists and mended.

import type { Coin } from "../../../../ports/ledger/settlement-store.ts";
import type { Sql } from "../../sql.ts";
import { textArray } from "./coin-leases.ts";
import { addCoins, whole } from "./settlement-rows.ts";

interface StoredCoin {
  readonly contract_id: string;
  readonly asset: number;
  readonly amount: string;
  readonly is_locked: boolean;
}

export async function mendCoins(
  sql: Sql,
  party: string,
  ledgerOffset: number,
  coins: readonly Coin[],
): Promise<number> {
  return sql.begin(async (tx) => {
    const [cursor] = await tx<{ ledger_offset: string }[]>`
      select ledger_offset from settlement_cursor for update`;
    if (Number(cursor?.ledger_offset) !== ledgerOffset) return 0;
    const rows = await tx<StoredCoin[]>`
      select contract_id, asset, amount::text as amount, is_locked
      from settlement_holdings where party = ${party}`;
    const listed = new Map(coins.map((coin) => [coin.contractId, coin]));
    const right = new Set(rows.filter((row) => isAs(row, listed)).map((row) => row.contract_id));
    const wrong = rows.map((row) => row.contract_id).filter((id) => !right.has(id));
    const lost = coins.filter(({ contractId }) => !right.has(contractId));
    const astray = new Set([...wrong, ...lost.map(({ contractId }) => contractId)]);
    if (astray.size === 0) return 0;
    // A row of another party's may stand where one is missing.
    await tx`
      delete from settlement_holdings where contract_id = any (${textArray([...astray])}::text[])`;
    await addCoins(tx, lost);
    return astray.size;
  });
}

function isAs(row: StoredCoin, listed: ReadonlyMap<string, Coin>): boolean {
  const coin = listed.get(row.contract_id);
  if (coin === undefined) return false;
  const { asset, amount, isLocked } = coin;
  return asset === row.asset && amount === whole(row.amount) && isLocked === row.is_locked;
}
