// Traffic of the ledger network: submissions are charged by bytes against a free allowance ("base") that refills over
// time. The venue gives each purpose a share of the allowance, called a lane; the command id determines the lane.

/** The network's parameters, the same on all its public networks. */
export const trafficTerms = { burstBytes: 400_000, windowMs: 1_200_000 } as const;

export const TrafficLane = {
  settlement: 0,
  epoch: 1,
  rfq: 2,
  enrollment: 3,
  maintenance: 4,
  reserve: 5,
} as const;
export type TrafficLane = (typeof TrafficLane)[keyof typeof TrafficLane];

interface LaneTerms {
  readonly name: string;
  /** Bytes that the lane may use within a window. */
  readonly budgetBytes: number;
  /** Prefixes of the lane's command ids, up to the first colon. */
  readonly prefixes: readonly string[];
}

function percent(share: number): number {
  return (trafficTerms.burstBytes * share) / 100;
}

/**
 * The lanes with their shares: half for settlement, a quarter for epochs. Merges, withdrawals and returned deposits use
 * the maintenance lane.
 */
export const trafficLanes: readonly LaneTerms[] = [
  { name: "settlement", budgetBytes: percent(50), prefixes: ["stl"] },
  { name: "epoch", budgetBytes: percent(25), prefixes: ["epc"] },
  { name: "rfq", budgetBytes: percent(10), prefixes: ["rfq"] },
  { name: "enrollment", budgetBytes: percent(5), prefixes: ["enr"] },
  { name: "maintenance", budgetBytes: percent(5), prefixes: ["mnt", "wdr", "ret"] },
  { name: "reserve", budgetBytes: percent(5), prefixes: [] },
];

/** The lane of a command; unknown prefixes belong to the reserve. */
export function laneOf(commandId: string): TrafficLane {
  const prefix = commandId.slice(0, Math.max(0, commandId.indexOf(":")));
  const lane = trafficLanes.findIndex(({ prefixes }) => prefixes.includes(prefix));
  return lane < 0 ? TrafficLane.reserve : (lane as TrafficLane);
}

/** What is left of the free base. */
export interface TrafficBase {
  readonly remaining: number;
  readonly atMs: number;
}

/** The base at `nowMs`: it refills evenly up to the burst, and ignores a clock that goes back. */
export function refilled({ remaining, atMs }: TrafficBase, nowMs: number): TrafficBase {
  const { burstBytes, windowMs } = trafficTerms;
  const passedMs = Math.max(0, nowMs - atMs);
  const full = remaining + (passedMs * burstBytes) / windowMs;
  return { remaining: Math.min(burstBytes, full), atMs: Math.max(atMs, nowMs) };
}

/** The base after `bytes` were charged at `atMs`. It never goes below zero, because the excess is paid separately. */
export function charged(base: TrafficBase, bytes: number, atMs: number): TrafficBase {
  const before = refilled(base, atMs);
  return { ...before, remaining: Math.max(0, before.remaining - bytes) };
}
