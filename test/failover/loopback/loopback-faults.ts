// The faults of a campaign on loopback. Each one strikes, and resolves when everything runs again; the clients trade
// meanwhile.

import { setTimeout as sleep } from "node:timers/promises";
import { present } from "../../../src/core/assert.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import type { Blocked } from "../../support/cluster/address-relay.ts";
import type { FaultMix, Strike } from "../fault-mix.ts";
import type { LoopbackWorld } from "./loopback-world.ts";

/** How long a server is away, in ms: long enough that everybody notices. */
const awayMs = 400;
/** Bounds in ms of how long a venue that no longer leads stays paused. */
const pausedMsMin = 200;
const pausedMsMax = 2_000;

export type LoopbackFault = keyof typeof loopbackStrikes;

export const loopbackStrikes = {
  "leader killed": async (world) => {
    killLeader(world);
    await world.untilChanged();
    await world.restartFollower();
  },
  handover: async (world) => {
    const answer = await world.leader.node.call("handover");
    if (!answer.isOk) throw new Error(answer.error);
    await world.untilChanged();
    await world.restartFollower();
  },
  "leader paused": async (world, random) => {
    const zombie = world.leader.node.process;
    zombie?.signal("SIGSTOP");
    await world.untilChanged();
    await sleep(pausedMsMin + random.below(pausedMsMax - pausedMsMin));
    zombie?.signal("SIGCONT");
    await world.restartFollower();
  },
  "leader cut off from the database": (world, random) => cutLeader(world, drawWay(random)),
  "gateway cut off from NATS": async (world, random) => {
    const { toNats } = present(world.gateways[random.below(2)], "a gateway");
    toNats.block(drawWay(random));
    await sleep(awayMs + random.below(2_000));
    toNats.unblock();
  },
  "leader cut off from NATS": async (world, random) => {
    const { toNats } = world.leader;
    toNats.block(drawWay(random));
    await sleep(awayMs + random.below(2_000));
    toNats.unblock();
  },
  "leader without NATS": async (world, random) => {
    const { toNats } = world.leader;
    toNats.block(drawWay(random));
    await world.untilChanged();
    toNats.unblock();
    await world.restartFollower();
  },
  "gateway killed": async (world, random) => {
    const place = random.below(2);
    await world.killGateway(place);
    await world.startGateway(place);
  },
  "NATS killed": async (world) => {
    await world.nats.kill();
    await sleep(awayMs);
    await world.nats.start();
  },
  "standby killed": async (world) => {
    await world.pair.stopStandby();
    await sleep(awayMs);
    await world.pair.startStandby();
  },
  "primary killed": async (world) => {
    await world.pair.killPrimary();
    await world.pair.promote();
    await world.pair.rejoin();
  },
  "leader and gateway killed": async (world, random) => {
    const place = random.below(2);
    killLeader(world);
    await world.killGateway(place);
    await world.untilChanged();
    await Promise.all([world.restartFollower(), world.startGateway(place)]);
  },
  "leader and NATS killed": async (world) => {
    killLeader(world);
    await world.nats.kill();
    await world.untilChanged();
    await world.nats.start();
    await world.restartFollower();
  },
  "leader and standby killed": async (world) => {
    killLeader(world);
    await world.pair.stopStandby();
    await sleep(awayMs);
    await world.pair.startStandby();
    await world.untilChanged();
    await world.restartFollower();
  },
} satisfies Readonly<Record<string, Strike<LoopbackWorld>>>;

/** How often each kind strikes in a whole campaign. */
export const loopbackMix: FaultMix<LoopbackFault> = {
  "leader killed": 100,
  handover: 20,
  "leader paused": 20,
  "leader cut off from the database": 20,
  "gateway cut off from NATS": 10,
  "leader cut off from NATS": 10,
  "leader without NATS": 10,
  "gateway killed": 40,
  "NATS killed": 40,
  "standby killed": 20,
  "primary killed": 40,
  "leader and gateway killed": 7,
  "leader and NATS killed": 7,
  "leader and standby killed": 6,
};

function drawWay(random: SeededRandom): Blocked {
  return (["up", "down", "both", "both"] as const)[random.below(4)] ?? "both";
}

function killLeader({ leader }: LoopbackWorld): void {
  leader.node.process?.signal("SIGKILL");
}

/** Cuts the way of the leader until another venue leads; then the former leader hears of it and ends. */
async function cutLeader(world: LoopbackWorld, way: Blocked): Promise<void> {
  const { toDatabase } = world.leader;
  toDatabase.block(way);
  await world.untilChanged();
  toDatabase.unblock();
  await world.restartFollower();
}
