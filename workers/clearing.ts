// The clearing thread: single writer of balances, positions, orders and seq. Once seeded it blocks on
// its doorbell and hears no more messages: the shared run state stops it.

import { runBlocking } from "../src/adapters/runtime/agent-runner.ts";
import { ClearingAgent } from "../src/adapters/runtime/clearing-agent.ts";
import { InputLog } from "../src/adapters/runtime/input-log.ts";
import { birth, marketTable, openSeed, seedBytes, tellMain, vitalsOf } from "./birth.ts";

const own = birth();
const vitals = vitalsOf(own);
const { inputLog } = own.settings;
const agent = new ClearingAgent({
  state: openSeed(await seedBytes(), marketTable(own)),
  memory: own.memory,
  places: own.places,
  counters: vitals.counters,
  markIntervalUs: own.settings.markIntervalMs * 1000,
  fundingIntervalUs: own.settings.fundingIntervalMs * 1000,
  inputLog: inputLog === null ? null : new InputLog(inputLog),
});
tellMain({ kind: "ready", thread: own.name });
runBlocking(agent, vitals);
