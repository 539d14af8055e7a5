// Rows about storage: the journal's writer alone, and the bytes per order in PostgreSQL after the runs of the
// order-path rows.

import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import type { Bench, BenchRow, Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";

interface TableSize {
  readonly name: string;
  readonly bytes: string;
}

async function writer(bench: Bench): Promise<Reading> {
  const figures = await bench.micro("journal-writer");
  const whole = figures["events/s with projections"] ?? 0;
  const bare = figures["events/s journal and fills"] ?? 0;
  const copied = figures["events/s COPY binary of the journal rows"] ?? 0;
  return {
    measured: `${shortNumber(whole)} / ${shortNumber(bare)} events/s`,
    baseline: `${shortNumber(copied)}/s COPY binary`,
    score: whole / copied,
    passed: null,
    figures,
    notes: [`journal and fills alone reach ${shortNumber(bare / copied)}× of COPY`],
  };
}

async function bytesPerOrder(bench: Bench): Promise<Reading> {
  await bench.stage.headline();
  const sql = openPostgres(await (await bench.stage.venue()).database(), "queries");
  try {
    const [count] = await sql<{ orders: string }[]>`select count(*) as orders from orders`;
    const orders = Number(count?.orders);
    const sizes = await sql<TableSize[]>`
      select relname as name, pg_total_relation_size(relid) as bytes
      from pg_stat_user_tables order by 2 desc`;
    const perOrder = new Map(sizes.map(({ name, bytes }) => [name, Number(bytes) / orders]));
    const journal = perOrder.get("journal") ?? 0;
    const all = [...perOrder.values()].reduce((sum, bytes) => sum + bytes, 0);
    const largest = [...perOrder].filter(([, bytes]) => bytes >= 1);
    return {
      measured: `${shortNumber(journal)} / ${shortNumber(all)} B (journal / all tables)`,
      baseline: "",
      score: all,
      passed: null,
      figures: { orders, "journal bytes/order": journal, "bytes/order": all },
      notes: [largest.map(([name, bytes]) => `${name} ${shortNumber(bytes)} B`).join(", ")],
    };
  } finally {
    await sql.end();
  }
}

export const storageRows: readonly BenchRow[] = [
  { id: "P13", measure: "journal writer alone, batches of 500", goal: "report", run: writer },
  { id: "P17", measure: "bytes per order in PostgreSQL", goal: "report", run: bytesPerOrder },
];
