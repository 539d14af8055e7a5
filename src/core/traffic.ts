// Traffic of the ledger network: bytes that submissions are charged, out of a free base that refills with
// time. The venue gives each of its purposes, a lane, a share of it; a command's id says whose it is.

/** The network's parameters, alike on all its public networks. */
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
  /** Bytes of a window. */
  readonly budgetBytes: number;
  /** How its command ids begin, up to the first colon. */
  readonly prefixes: readonly string[];
}

function percent(share: number): number {
  return (trafficTerms.burstBytes * share) / 100;
}

/** By lane: half for settlement, a quarter for epochs. Withdrawals are custody's, as merges are. */
export const trafficLanes: readonly LaneTerms[] = [
  { name: "settlement", budgetBytes: percent(50), prefixes: ["stl"] },
  { name: "epoch", budgetBytes: percent(25), prefixes: ["epc"] },
  { name: "rfq", budgetBytes: percent(10), prefixes: ["rfq"] },
  { name: "enrollment", budgetBytes: percent(5), prefixes: ["enr"] },
  { name: "maintenance", budgetBytes: percent(5), prefixes: ["mnt", "wdr", "ret"] },
  { name: "reserve", budgetBytes: percent(5), prefixes: [] },
];

/** Whose a command is; what nobody named is the reserve's. */
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

/** The base at `nowMs`: it refills evenly, up to the burst, and never with time that goes back. */
export function refilled({ remaining, atMs }: TrafficBase, nowMs: number): TrafficBase {
  const { burstBytes, windowMs } = trafficTerms;
  const passedMs = Math.max(0, nowMs - atMs);
  const full = remaining + (passedMs * burstBytes) / windowMs;
  return { remaining: Math.min(burstBytes, full), atMs: Math.max(atMs, nowMs) };
}

/** The base after `bytes` at `atMs`; what it cannot pay for was paid otherwise. */
export function charged(base: TrafficBase, bytes: number, atMs: number): TrafficBase {
  const before = refilled(base, atMs);
  return { ...before, remaining: Math.max(0, before.remaining - bytes) };
}
