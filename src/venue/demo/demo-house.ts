// Keeps the order books of a development venue quoted. The demo's house account is named by a file in the data folder;
// without the file nothing is kept. The account is looked at every few seconds, also after a restart of the venue.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { Log } from "../../ports/log.ts";
import type { Venue } from "../venue.ts";
import { restoreDemoBooks } from "./demo-book.ts";

const fileName = "demo.json";
const ownerOnly = 0o600;
const lookMs = 5_000;

const stored = z.object({ house: z.number().int().positive() });

/** Remembers the demo's house account for the next starts. */
export function storeDemoHouse(dataDir: string, account: number): Promise<void> {
  return writeFile(join(dataDir, fileName), JSON.stringify({ house: account }), {
    mode: ownerOnly,
  });
}

export async function readDemoHouse(dataDir: string): Promise<number | null> {
  const text = await readFile(join(dataDir, fileName), "utf8").catch(() => null);
  return text === null ? null : stored.parse(JSON.parse(text)).house;
}

interface DemoHouseParts {
  readonly venue: Venue;
  readonly dataDir: string;
  readonly hasFleet: boolean;
  readonly log: Log;
}

/** Starts keeping the books. `stop` ends it; what is under way then fails or is refused. */
export function keepDemoBooks({ venue, dataDir, hasFleet, log }: DemoHouseParts) {
  let isLooking = false;
  const look = async () => {
    const account = await readDemoHouse(dataDir);
    if (account === null) return;
    const markets = await restoreDemoBooks(venue, account, hasFleet);
    if (markets.length > 0)
      log.info({ markets }, "the demo's house account quotes these markets again");
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // While the database is away, the next look tries again.
    void look()
      .catch((err: unknown) => log.debug({ err }, "the demo's books were not looked at"))
      .finally(() => {
        isLooking = false;
      });
  }, lookMs);
  return { stop: async () => clearInterval(timer) };
}
