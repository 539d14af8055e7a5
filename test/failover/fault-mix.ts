// Which faults a campaign strikes with, and in which order.

import { present } from "../../src/core/assert.ts";
import type { SeededRandom } from "../../src/tools/load/seeded-random.ts";

/** Breaks something; resolves when clients can be served again. */
export type Strike<World> = (world: World, random: SeededRandom) => Promise<void>;

/** How often each kind of fault strikes in a whole campaign. */
export type FaultMix<Kind extends string> = Readonly<Record<Kind, number>>;

export function faultsOf<Kind extends string>(mix: FaultMix<Kind>): number {
  return kindsOf(mix).reduce((sum, kind) => sum + mix[kind], 0);
}

/** The kinds of a mix that `named` names, or all of them. Throws if one is not in the mix. */
export function limited<Kind extends string>(
  mix: FaultMix<Kind>,
  named: readonly string[] | null,
): FaultMix<Kind> {
  if (named === null) return mix;
  const unknown = named.filter((kind) => !Object.hasOwn(mix, kind));
  if (unknown.length > 0)
    throw new Error(`no fault ${unknown.join(", ")}; there are: ${Object.keys(mix).join(", ")}`);
  return Object.fromEntries(named.map((kind) => [kind, mix[kind as Kind]])) as FaultMix<Kind>;
}

/**
 * Draws `count` faults in a random order. A whole campaign has each kind as often as the mix says; a shorter one has a
 * part of it, and a longer one begins again.
 */
export function drawFaults<Kind extends string>(
  mix: FaultMix<Kind>,
  count: number,
  random: SeededRandom,
): Kind[] {
  const faults: Kind[] = [];
  while (faults.length < count) {
    const whole = kindsOf(mix).flatMap((kind) => new Array<Kind>(mix[kind]).fill(kind));
    for (let last = whole.length - 1; last > 0; last--) {
      const other = random.below(last + 1);
      const [one, two] = [present(whole[last], "a fault"), present(whole[other], "a fault")];
      [whole[last], whole[other]] = [two, one];
    }
    faults.push(...whole);
  }
  return faults.slice(0, count);
}

function kindsOf<Kind extends string>(mix: FaultMix<Kind>): Kind[] {
  return Object.keys(mix) as Kind[];
}
