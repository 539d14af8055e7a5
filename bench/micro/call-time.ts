// Times one small function for the codec benchmarks.

/** Nanoseconds a call of `call`, best of ten rounds: on shared cores the other rounds measure the neighbours. */
export function nsOf(call: () => number): number {
  const calls = 300_000;
  let best = Number.POSITIVE_INFINITY;
  let sink = 0;
  for (let round = 0; round < 10; round++) {
    const began = performance.now();
    for (let i = 0; i < calls; i++) sink += call();
    best = Math.min(best, ((performance.now() - began) * 1e6) / calls);
  }
  return sink >= 0 ? best : Number.NaN;
}
