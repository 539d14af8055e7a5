// Gauges of custody. Their values are in SQL instead of shared memory, so one query per scrape reads all of them. While
// the database is unavailable, these gauges have no value; all other metrics are not affected.

import { setTimeout as sleep } from "node:timers/promises";
import { Gauge, type Registry } from "prom-client";
import type { CustodyFigures, CustodyFiguresReader } from "../../ports/ledger/custody-figures.ts";

type Sample = readonly [labels: Record<string, string>, value: number];

interface Figure {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly samples: (figures: CustodyFigures) => readonly Sample[];
}

const figuresShown: readonly Figure[] = [
  {
    name: "rialto_custody_holdings",
    help: "Custody holdings on the ledger, as of the last update read",
    labels: ["asset"],
    samples: ({ holdings }) => holdings.map(({ asset, amount }) => [{ asset }, amount]),
  },
  {
    name: "rialto_custody_withdrawals_pending",
    help: "Withdrawals that the venue has taken and not finished; it takes none while the ledger is silent",
    labels: [],
    samples: ({ withdrawalsPending }) => [[{}, withdrawalsPending]],
  },
  {
    name: "rialto_custody_deposits_unclaimed",
    help: "Deposits that await an operator's decision",
    labels: [],
    samples: ({ depositsUnclaimed }) => [[{}, depositsUnclaimed]],
  },
  {
    name: "rialto_settlement_mirror_age_seconds",
    help: "Seconds since wallets were last compared with the ledger",
    labels: [],
    samples: ({ mirrorAgeSeconds: age }) => (age === null ? [] : [[{}, age]]),
  },
  {
    name: "rialto_traffic_base_remaining_bytes",
    help: "Remaining free traffic on the ledger network",
    labels: [],
    samples: ({ baseRemainingBytes }) => [[{}, baseRemainingBytes]],
  },
  {
    name: "rialto_traffic_lane_left_bytes",
    help: "Free traffic that a lane may still use in the current window",
    labels: ["lane"],
    samples: ({ lanes }) => lanes.map(({ lane, leftBytes }) => [{ lane }, leftBytes]),
  },
];

/** Time in milliseconds during which one reading serves all gauges of a scrape. */
const readingMs = 500;
/**
 * Maximum time in milliseconds that a scrape waits for the reading, because a stalled database must not delay the other
 * metrics.
 */
const patienceMs = 250;

export function addCustody(registry: Registry, reader: CustodyFiguresReader): void {
  let known: CustodyFigures | null = null;
  let reading: Promise<unknown> | null = null;
  let readAtMs = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<CustodyFigures | null> => {
    if (reading === null && performance.now() - readAtMs >= readingMs) {
      readAtMs = performance.now();
      reading = reader
        .read()
        .catch(() => null)
        .then((figures) => {
          known = figures;
          reading = null;
        });
    }
    if (reading !== null) await Promise.race([reading, sleep(patienceMs, null, { ref: false })]);
    return known;
  };
  for (const { name, help, labels, samples } of figuresShown) {
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const figures = await read();
        this.reset();
        for (const [own, value] of figures === null ? [] : samples(figures)) this.set(own, value);
      },
    });
  }
}
