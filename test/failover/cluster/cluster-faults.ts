// The faults of a campaign in namespaces. Each one strikes and resolves when clients can be served again; the world
// then mends what is broken, so that the lost machine comes back to one that works without it.

import { setTimeout as sleep } from "node:timers/promises";
import { present } from "../../../src/core/assert.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { untilLeading } from "../../support/cluster/deployed-venues.ts";
import type { Host } from "../../support/cluster/host.ts";
import { operate, signalRialto } from "../../support/cluster/venue-programs.ts";
import type { FaultMix, Strike } from "../fault-mix.ts";
import type { ClusterWorld } from "./cluster-world.ts";

/** Bounds in ms of how long a machine is away, or cut off from another one. */
const awayMsMin = 1_000;
const awayMsMax = 6_000;
/** Bounds in ms of a pause; one in `longPauses` lasts a minute. */
const pausedMsMin = 2_000;
const pausedMsMax = 15_000;
const longPauses = 5;
const minuteMs = 60_000;

export type ClusterFault = keyof typeof clusterStrikes;

export const clusterStrikes = {
  "leader killed": async (world) => {
    const { leader, follower } = await world.deployed.untilBoth();
    await world.killRialto(leader);
    await untilLeading(follower);
  },
  handover: async (world) => {
    const { leader, follower } = await world.deployed.untilBoth();
    await operate(leader, "handover");
    await untilLeading(follower);
  },
  "leader paused": async (world, random) => {
    const { leader, follower } = await world.deployed.untilBoth();
    await signalRialto(leader, "SIGSTOP");
    await untilLeading(follower);
    await sleep(pauseMs(random));
    await signalRialto(leader, "SIGCONT");
  },
  "primary paused": async (world, random) => {
    const { primary } = await world.cluster.untilReplicated();
    await world.pause(primary);
    await world.cluster.untilPrimary(primary);
    await sleep(pauseMs(random));
    await world.wake(primary);
  },
  "leader's host cut off": async (world, random) => {
    const { leader, follower } = await world.deployed.untilBoth();
    await world.cluster.cut(leader);
    await untilLeading(follower);
    await sleep(awayMs(random));
  },
  partition: async (world, random) => {
    const [one, other] = await drawPair(world, random);
    await world.cluster.partition(one, other);
    await sleep(awayMs(random));
  },
  "partition of one way": async (world, random) => {
    const pair = await drawPair(world, random);
    const [from, to] = random.below(2) === 0 ? pair : [pair[1], pair[0]];
    await world.cluster.partitionOneWay(from, to);
    await sleep(awayMs(random));
  },
  "primary killed": async (world) => {
    const { primary } = await world.cluster.untilReplicated();
    await primary.killData();
    await world.cluster.untilPrimary(primary);
  },
  "primary's host cut off": async (world) => {
    const { primary } = await world.cluster.untilReplicated();
    await world.cluster.cut(primary);
    await world.cluster.untilPrimary(primary);
    await sleep(awayMsMin);
  },
  "standby killed": async (world, random) => {
    const { standby } = await world.cluster.untilReplicated();
    await world.kill(standby);
    await sleep(awayMs(random));
  },
  "etcd killed": async (world, random) => {
    await world.kill(oneOf(world.cluster.etcd, random));
    await sleep(awayMs(random));
  },
  "NATS killed": async (world, random) => {
    await world.kill(oneOf(world.cluster.nats, random));
    await sleep(awayMs(random));
  },
  "gateway killed": async (world, random) => {
    const gateway = oneOf(world.deployed.gateways, random);
    // Its process, which comes back at once, or its machine.
    if (random.below(2) === 0) return world.killRialto(gateway);
    await world.kill(gateway);
    await sleep(awayMs(random));
  },
  "leader and gateway killed": async (world, random) => {
    const { leader, follower } = await world.deployed.untilBoth();
    await Promise.all([
      world.killRialto(leader),
      world.kill(oneOf(world.deployed.gateways, random)),
    ]);
    await untilLeading(follower);
  },
  "leader and NATS killed": async (world, random) => {
    const { leader, follower } = await world.deployed.untilBoth();
    await Promise.all([world.killRialto(leader), world.kill(oneOf(world.cluster.nats, random))]);
    await untilLeading(follower);
  },
  "leader and standby killed": async (world) => {
    const { leader, follower } = await world.deployed.untilBoth();
    const { standby } = await world.cluster.untilReplicated();
    await Promise.all([world.killRialto(leader), world.kill(standby)]);
    await untilLeading(follower);
  },
  "leader and primary killed": async (world) => {
    const { leader, follower } = await world.deployed.untilBoth();
    const { primary } = await world.cluster.untilReplicated();
    await Promise.all([world.killRialto(leader), primary.killData()]);
    await world.cluster.untilPrimary(primary);
    await untilEitherLeads(leader, follower);
  },
  "primary killed and its successor cut off": async (world) => {
    const { primary } = await world.cluster.untilReplicated();
    await primary.killData();
    await world.cluster.untilPrimary(primary);
    // Only a standby that confirms commits may be promoted next; the killed one still comes back meanwhile.
    const next = await world.cluster.untilReplicated();
    await world.cluster.cut(next.primary);
    await world.cluster.untilPrimary(next.primary);
    await sleep(awayMsMin);
  },
} satisfies Readonly<Record<string, Strike<ClusterWorld>>>;

/** How often each kind strikes in a whole campaign: 365 faults. */
export const clusterMix: FaultMix<ClusterFault> = {
  "leader killed": 100,
  handover: 20,
  "leader paused": 14,
  "primary paused": 6,
  "leader's host cut off": 10,
  partition: 10,
  "partition of one way": 20,
  "primary killed": 20,
  "primary's host cut off": 20,
  "standby killed": 20,
  "etcd killed": 20,
  "NATS killed": 40,
  "gateway killed": 40,
  "leader and gateway killed": 5,
  "leader and NATS killed": 5,
  "leader and standby killed": 5,
  "leader and primary killed": 5,
  "primary killed and its successor cut off": 5,
};

/** Draws two hosts between which messages of the venue or of the database pass. */
async function drawPair(
  { cluster, deployed }: ClusterWorld,
  random: SeededRandom,
): Promise<readonly [one: Host, other: Host]> {
  const { leader } = await deployed.untilBoth();
  const { primary, standby } = await cluster.untilReplicated();
  const gateway = oneOf(deployed.gateways, random);
  const nats = oneOf(cluster.nats, random);
  const pairs: readonly (readonly [Host, Host])[] = [
    [leader, cluster.proxy],
    [leader, nats],
    [gateway, nats],
    [gateway, cluster.proxy],
    [cluster.proxy, primary],
    [primary, standby],
    [primary, oneOf(cluster.etcd, random)],
  ];
  return present(pairs[random.below(pairs.length)], "a pair of hosts");
}

/** One of several hosts, with equal chances. */
function oneOf(hosts: readonly Host[], random: SeededRandom): Host {
  return present(hosts[random.below(hosts.length)], "a host");
}

function awayMs(random: SeededRandom): number {
  return awayMsMin + random.below(awayMsMax - awayMsMin);
}

function pauseMs(random: SeededRandom): number {
  if (random.below(longPauses) === 0) return minuteMs;
  return pausedMsMin + random.below(pausedMsMax - pausedMsMin);
}

/** The killed venue is back sooner than the database, so either of both may be the next leader. */
function untilEitherLeads(one: Host, other: Host): Promise<void> {
  return Promise.any([untilLeading(one), untilLeading(other)]);
}
