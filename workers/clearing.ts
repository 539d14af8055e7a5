// The clearing thread: single writer of balances, positions, orders and seq. After its seed it blocks on its doorbell
// and receives no more messages; the shared run state stops it.

import { runBlocking } from "../src/adapters/runtime/agent-runner.ts";
import { ClearingAgent } from "../src/adapters/runtime/clearing-agent.ts";
import { InputLog } from "../src/adapters/runtime/input-log.ts";
import { marketTable, mayFollow, openSeed, tellMain, vitalsOf, workerInit } from "./init.ts";
import { seeded } from "./seeded.ts";

const own = await workerInit();
const vitals = vitalsOf(own, { hasLoop: false });
const { memory, slots, settings } = own;
const inputLog = settings.inputLog === null ? null : new InputLog(settings.inputLog);
const { opened: agent } = await seeded({
  follows: mayFollow(own),
  open: (bytes) => openSeed(bytes, marketTable(own)),
  build: (state) =>
    new ClearingAgent({
      state,
      memory,
      slots,
      counters: vitals.counters,
      markIntervalUs: settings.markIntervalMs * 1000,
      opensWithoutIndex: settings.opensWithoutIndex,
      fundingIntervalUs: settings.fundingIntervalMs * 1000,
      rewardIntervalUs: settings.rewardIntervalMs * 1000,
      inputLog,
    }),
});
tellMain({ kind: "ready", thread: own.name });
runBlocking(agent, vitals);
