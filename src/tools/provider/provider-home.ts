// The data folder of a reference provider: its signing key, the port that the venue knows, and a log of the swaps to
// which the provider committed. The log is written before a submission, so that a provider that was killed knows after
// a restart what it may have sent. The log has one JSON line per step; the last line of a swap counts. Only one
// provider may use the folder, because two would spend the same holdings.

import { appendFile, mkdir, open, readFile, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import {
  controlSocketPath,
  isAnswered,
  openControlSocket,
} from "../../adapters/runtime/control-socket.ts";
import type { Entropy } from "../../ports/entropy.ts";
import { signingKeyId, signingKeyOf } from "../../services/access/venue-signer.ts";

const ownerOnly = 0o600;
const seedBytes = 32;

export interface ProviderIdentity {
  readonly keyId: string;
  readonly publicKey: string;
  readonly key: ReturnType<typeof signingKeyOf>["key"];
}

/** A swap to which the venue asked the provider to commit. */
export interface TradeRecord {
  readonly swapId: string;
  /** Hash of the request body; a different body is refused. */
  readonly bodyHash: string;
  readonly state: "begun" | "locked" | "refused";
  readonly quoteId: string;
  /** Submission id of the current attempt; `inputs` are the holdings that this attempt may have spent. */
  readonly submissionId: string;
  readonly dedupOffset: number;
  readonly requestedAtMs: number;
  readonly inputs: readonly string[];
  /** The provider's answer; null until the outcome is known. */
  readonly answer: Readonly<Record<string, string>> | null;
}

/**
 * Locks the folder, which is created if missing, until the returned server is closed. Throws if another provider uses
 * the folder.
 */
export async function takeFolder(folder: string): Promise<Server> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Lock by a socket instead of a file, because a socket closes with its process, even after a kill.
  const path = controlSocketPath(folder);
  if (await isAnswered(path))
    throw new Error(
      `a provider is already running in ${folder}: choose another --name or --folder`,
    );
  return openControlSocket(path, async () => ({}));
}

/** Returns the port that the folder's provider used before; null on the first start. */
export async function portIn(folder: string): Promise<number | null> {
  const text = await readFile(join(folder, "port"), "utf8").catch(() => "");
  return /^\d{1,5}\n$/.test(text) ? Number(text) : null;
}

/** Stores the port. The venue binds a provider's key to its address, so a restart must use the same port. */
export async function keepPort(folder: string, port: number): Promise<void> {
  await writeFile(join(folder, "port"), `${port}\n`, { mode: ownerOnly });
}

/** Returns the folder's key; generates it if missing. */
export async function identityIn(folder: string, entropy: Entropy): Promise<ProviderIdentity> {
  const path = join(folder, "provider.key");
  const made = Buffer.from(entropy.bytes(seedBytes)).toString("base64");
  await writeFile(path, made, { mode: ownerOnly, flag: "wx" }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
  const seed = Buffer.from((await readFile(path, "utf8")).trim(), "base64");
  if (seed.length !== seedBytes) throw new Error(`${path} does not hold a key of 32 bytes`);
  const { key, publicKey } = signingKeyOf(seed);
  return { key, publicKey, keyId: signingKeyId(publicKey) };
}

export class TradeLog {
  readonly #path: string;
  readonly #trades = new Map<string, TradeRecord>();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Opens the log in `folder`; ignores an incomplete last line. */
  static async open(folder: string): Promise<TradeLog> {
    const log = new TradeLog(join(folder, "trades.jsonl"));
    const text = await readFile(log.#path, "utf8").catch(() => "");
    for (const line of text.split("\n")) {
      const trade = tradeIn(line);
      if (trade !== null) log.#trades.set(trade.swapId, trade);
    }
    if (text !== "" && !text.endsWith("\n")) await appendFile(log.#path, "\n");
    return log;
  }

  get(swapId: string): TradeRecord | undefined {
    return this.#trades.get(swapId);
  }

  /** Returns the holdings that open attempts may spend. */
  get leased(): ReadonlySet<string> {
    const open = [...this.#trades.values()].filter(({ state }) => state === "begun");
    return new Set(open.flatMap(({ inputs }) => inputs));
  }

  /** Writes a step; resolves when it is on disk. */
  async write(trade: TradeRecord): Promise<void> {
    const file = await open(this.#path, "a", ownerOnly);
    try {
      await file.appendFile(`${JSON.stringify(trade)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    this.#trades.set(trade.swapId, trade);
  }
}

function tradeIn(line: string): TradeRecord | null {
  try {
    return line === "" ? null : (JSON.parse(line) as TradeRecord);
  } catch {
    return null;
  }
}
