// Computes the CPU time of one thread by function, from a CPU profile.

import { basename } from "node:path";
import * as z from "zod";

const frame = z.object({ functionName: z.string(), url: z.string() });
const profileForm = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame: frame })),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/**
 * Functions that mean the thread was asleep: V8's name for an idle loop, and the sleep of a doorbell, which V8 counts
 * as running.
 */
const asleep = ["(idle)", "sleep"];
const unknownFrame = { functionName: "(program)", url: "" };

export interface ThreadProfile {
  /** The script with the most time, apart from scripts that all threads share; it identifies the thread. */
  readonly script: string;
  readonly ms: number;
  /** Time in which the thread was neither asleep nor waiting. */
  readonly busyMs: number;
  /**
   * Self time of each function as a share (0 to 1) of the busy time, largest first; `where` is the function's name and
   * its script.
   */
  readonly shares: readonly (readonly [where: string, share: number])[];
}

/** Reads the text of a `.cpuprofile`; throws if it has another format. */
export function readCpuProfile(text: string): ThreadProfile {
  const { nodes, samples, timeDeltas } = profileForm.parse(JSON.parse(text));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const selfUs = new Map<string, number>();
  const scriptUs = new Map<string, number>();
  let [us, busyUs] = [0, 0];
  for (const [index, id] of samples.entries()) {
    const spent = timeDeltas[index] ?? 0;
    const { functionName, url } = frames.get(id) ?? unknownFrame;
    us += spent;
    if (asleep.includes(functionName)) continue;
    busyUs += spent;
    const script = basename(url);
    const where = `${functionName || "(anonymous)"} ${script}`.trimEnd();
    selfUs.set(where, (selfUs.get(where) ?? 0) + spent);
    if (url.startsWith("file:") && !script.startsWith("chunk-"))
      scriptUs.set(script, (scriptUs.get(script) ?? 0) + spent);
  }
  const [script = "none"] = largestFirst(scriptUs).map(([name]) => name);
  const shares = largestFirst(selfUs).map(([where, spent]) => [where, spent / busyUs] as const);
  return { script, ms: us / 1000, busyMs: busyUs / 1000, shares };
}

function largestFirst(times: ReadonlyMap<string, number>): [string, number][] {
  return [...times].sort(([, one], [, other]) => other - one);
}
