// Reads the fault proxy's log of a data folder line by line: the file and the one before it. Lines of other forms are counted
// and left out: a line may be half written while the venue runs.

import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod";
import type { FaultLogLine } from "../faults/fault-log.ts";
import { ClientLog } from "./client-log.ts";

/** Longer lines are not the proxy's. */
const lineLengthMax = 16_384;

const text = z.string().max(512);
const requestLine = z.object({
  at_ms: z.number(),
  key: text.nullable(),
  connection: z.number(),
  method: text,
  path: text,
  symbol: text.nullable(),
  client_order_id: text.nullable(),
  order_id: text.nullable(),
  status: z.number().nullable(),
  code: z.number().nullable(),
  delivered: z.boolean(),
  fault: text.nullable(),
  kind: text.nullable(),
  latency_ms: z.number(),
  event: text.optional(),
  order_status: text.optional(),
  filled_qty: text.optional(),
  message: text.optional(),
});
const changeLine = z.object({ method: z.enum(["APPLY", "CLEAR"]), target: z.unknown() });

export interface ClientLogs {
  /** By API key. */
  readonly byKey: ReadonlyMap<string, ClientLog>;
  readonly lines: number;
  /** Lines that could not be read. */
  readonly unread: number;
  /** Whether an older part of the log has been replaced already, as far as one can see. */
  readonly isCut: boolean;
}

/** Reads the log of the data folder; empty if there is none. */
export async function readClientLogs(dataDir: string): Promise<ClientLogs> {
  const byKey = new Map<string, ClientLog>();
  let [lines, unread] = [0, 0];
  const older = join(dataDir, "faults.1.jsonl");
  for (const path of [older, join(dataDir, "faults.jsonl")]) {
    if (!existsSync(path)) continue;
    const input = createReadStream(path, { encoding: "utf8" });
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      lines++;
      const read = readLine(line);
      if (read === "other") unread++;
      else if (read !== "change") addLine(byKey, read);
    }
  }
  return { byKey, lines, unread, isCut: existsSync(older) };
}

function addLine(byKey: Map<string, ClientLog>, line: FaultLogLine): void {
  if (line.key === null) return;
  let log = byKey.get(line.key);
  if (log === undefined) {
    log = new ClientLog();
    byKey.set(line.key, log);
  }
  log.add(line);
}

function readLine(line: string): FaultLogLine | "change" | "other" {
  if (line.length > lineLengthMax) return "other";
  try {
    const value: unknown = JSON.parse(line);
    const read = requestLine.safeParse(value);
    if (read.success) return read.data as FaultLogLine;
    return changeLine.safeParse(value).success ? "change" : "other";
  } catch {
    return "other";
  }
}
