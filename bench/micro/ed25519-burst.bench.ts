// Verifies a burst of Ed25519 signatures in three ways: on the calling thread, on the runtime's pool through the
// callback form of `verify`, and in a piscina pool of worker threads. For each way it reports signatures a second and
// the calling thread's busy time per signature, during which other requests wait.

import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { median } from "../report/median.ts";
import { sampledWaiting } from "./sampling.ts";

const burst = 256;
const rounds = 12;

interface Signed {
  readonly text: Buffer;
  readonly signature: Buffer;
}

interface Burst {
  readonly signed: readonly Signed[];
  readonly key: KeyObject;
  /** The same public key, in the form that a worker receives. */
  readonly spki: Buffer;
}

function newBurst(): Burst {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const signed = Array.from({ length: burst }, (_, at) => {
    const text = Buffer.from(`symbol=CC-USDC&side=BUY&type=LIMIT&quantity=${at}&timestamp=1`);
    return { text, signature: sign(null, text, privateKey) };
  });
  const spki = publicKey.export({ type: "spki", format: "der" });
  return { signed, key: createPublicKey({ key: spki, format: "der", type: "spki" }), spki };
}

/**
 * Returns the calling thread's busy microseconds per signature and the signatures a second. Both are medians over the
 * counted rounds. An equal number of warm-up rounds comes first.
 */
async function timed(run: () => Promise<void>): Promise<{ busyUs: number; perSecond: number }> {
  const busy: number[] = [];
  let idle = performance.eventLoopUtilization();
  const { p50 } = await sampledWaiting(
    run,
    { samples: rounds, warmUp: rounds },
    {
      before: () => {
        idle = performance.eventLoopUtilization();
      },
      // The statistics of `sampledWaiting` do not include the busy time, so it is recorded here after each round.
      after: () => {
        busy.push((performance.eventLoopUtilization(idle).active * 1000) / burst);
      },
    },
  );
  return { busyUs: median(busy.slice(rounds)), perSecond: (burst * 1000) / p50 };
}

function onPool({ signed, key }: Burst): Promise<void> {
  const checks = signed.map(
    ({ text, signature }) =>
      new Promise<void>((resolve, reject) => {
        verify(null, text, key, signature, (error) => (error ? reject(error) : resolve()));
      }),
  );
  return Promise.all(checks).then(() => {});
}

/** Measures all three ways on the same burst. */
export async function measure(): Promise<Record<string, number>> {
  const burstOf = newBurst();
  const filename = fileURLToPath(new URL("./ed25519.worker.js", import.meta.url));
  const threads = availableParallelism();
  const pool = new Piscina({
    filename,
    name: "checkSignatures",
    minThreads: threads,
    maxThreads: threads,
  });
  const figures: Record<string, number> = {};
  const ways: Readonly<Record<string, () => Promise<void>>> = {
    "calling thread": async () => {
      await nextTurn();
      for (const { text, signature } of burstOf.signed) verify(null, text, burstOf.key, signature);
      await nextTurn();
    },
    "runtime's pool": () => onPool(burstOf),
    "piscina, one signature a task": async () => {
      const { spki } = burstOf;
      await Promise.all(burstOf.signed.map((each) => pool.run({ spki, signed: [each] })));
    },
    "piscina, 32 signatures a task": async () => {
      const { spki, signed } = burstOf;
      const tasks: Promise<unknown>[] = [];
      for (let from = 0; from < burst; from += 32) {
        tasks.push(pool.run({ spki, signed: signed.slice(from, from + 32) }));
      }
      await Promise.all(tasks);
    },
  };
  for (const [name, run] of Object.entries(ways)) {
    const { busyUs, perSecond } = await timed(run);
    figures[`${name}: calling thread busy, µs a signature`] = busyUs;
    figures[`${name}: signatures/s`] = perSecond;
  }
  await pool.destroy();
  return figures;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(await measure(), null, 2)}\n`);
}
