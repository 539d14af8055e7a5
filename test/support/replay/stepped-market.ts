// A made market in a venue that executes one command at a time, in this process: the calls that play it, and the journal that
// it leaves.

import { openPostgres } from "../../../src/adapters/postgres/connection.ts";
import type { PlayOutcome } from "../../../src/tools/replay/played-market.ts";
import type { VenueCall } from "../../../src/tools/replay/replay-accounts.ts";
import { readScript, scriptWith } from "../../../src/tools/synthetic/ready-scripts.ts";
import { playSynthetic } from "../../../src/tools/synthetic/synthetic-market.ts";
import { withHistoryCalls } from "../../../src/venue/history/history-calls.ts";
import { HistoryPlayer } from "../../../src/venue/history/history-player.ts";
import { SteppedClient } from "../../../src/venue/history/stepped-client.ts";
import { controlCalls } from "../../../src/venue/operator/control-calls.ts";
import type { VenueFixture } from "../venue/venue-fixture.ts";

interface PlayedScript {
  readonly script: string;
  readonly settings: Readonly<Record<string, number>>;
  readonly symbol: string;
  readonly seed: number;
  readonly seconds: number;
  readonly price: number;
}

/** The calls that a venue with a control socket has. */
function callsOf(fixture: VenueFixture): VenueCall {
  const { venue, operator, address } = fixture;
  const { clearing, table, database, masterKeys, clockControl, marketControl } = venue;
  const none = () => {
    throw new Error("a made market does not call this");
  };
  const told = {
    ...{ snapshot: none, handOver: none, ledger: none, faults: none, masterKeys },
    get settlement() {
      return venue.ledger.settlement;
    },
    status: async () => ({ address }),
    clockControl: () => clockControl,
    marketControl: () => marketControl,
  };
  const demoHouse = async () => null;
  const stepped = new SteppedClient(clearing, () => venue.issuedSeq);
  const player = new HistoryPlayer({ clearing: stepped, table, sql: database.sql, demoHouse });
  const calls = withHistoryCalls(player, controlCalls(operator, told, true));
  return (name, parameters) => calls(name, parameters);
}

/** Plays a ready script at full speed. */
export function playScript(venue: VenueFixture, played: PlayedScript): Promise<PlayOutcome> {
  const { dataDir } = venue;
  const script = scriptWith(readScript(played.script), played.settings);
  return playSynthetic(
    {
      ...{ ...played, script, dataDir, levels: 20 },
      ...{ speed: Number.POSITIVE_INFINITY, requoteUs: 500_000, checkEvery: 0 },
    },
    {
      call: callsOf(venue),
      signal: new AbortController().signal,
      onProgress: () => undefined,
    },
  );
}

/** The journal's entries as texts; the venue must be closed. */
export async function journalOf(venue: VenueFixture): Promise<string[]> {
  const sql = openPostgres(venue.database.options, "queries");
  const rows = await sql<{ seq: string; body: Uint8Array }[]>`
    select seq::text, body from journal order by journal.seq`;
  await sql.end({ timeout: 1 });
  return rows.map(({ seq, body }) => `${seq} ${Buffer.from(body).toString("hex")}`);
}
