// Times requests of two ways in turn, one at a time, so that a busy machine delays both alike: the ratio of two medians is
// then meaningful on shared cores, where medians of separate runs are not.

/** One way to place an order. */
export interface Way {
  /** Returns a complete request. Its making is not timed. */
  next(): string;
  /** Sends a request; resolves with the time in ms at which its answer came, and rejects if it is refused. */
  answered(request: string): Promise<number>;
}

/**
 * Sends `pairs` requests each way and returns the latencies in ms. A pair begins with the way that ended the pair before,
 * so each way follows the other and itself equally often.
 */
export async function inTurns(
  [one, other]: readonly [Way, Way],
  pairs: number,
): Promise<readonly [one: number[], other: number[]]> {
  const [ones, others]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    const isOneFirst = pair % 2 === 0;
    if (isOneFirst) ones.push(await latencyOf(one));
    others.push(await latencyOf(other));
    if (!isOneFirst) ones.push(await latencyOf(one));
  }
  return [ones, others];
}

async function latencyOf(way: Way): Promise<number> {
  const request = way.next();
  const startMs = performance.now();
  return (await way.answered(request)) - startMs;
}
