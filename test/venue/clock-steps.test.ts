// Proves what an operator sees and can do after a step of the clock, on a running venue and at its starts. The test
// sets the clock of the venue's host.

import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ClockWorld, until } from "./clock-world.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const world = new ClockWorld();

before(() => world.start());
after(() => world.close());

async function status(): Promise<string> {
  return (await world.health()).json.status;
}

/** Returns by how many ms the venue's time is ahead of true time plus `offsetMs`; negative if it is behind. */
async function aheadMs(offsetMs = 0): Promise<number> {
  const requestedMs = Date.now() + offsetMs;
  const answer = await fetch(`${world.address}/api/v3/time`);
  const { serverTime } = (await answer.json()) as { serverTime: number };
  // The venue reads its time between request and answer, so any time in this range counts as no difference.
  if (serverTime < requestedMs) return serverTime - requestedMs;
  return Math.max(0, serverTime - Date.now() - offsetMs);
}

async function doctorSays(): Promise<string> {
  const { printed } = await world.run(["doctor", "--json"]);
  const findings = JSON.parse(printed) as { check: string; verdict: string }[];
  return findings.find(({ check }) => check === "venue clock")?.verdict ?? "";
}

test("CLK-1 CLK-4 health, metrics, log and doctor show a step of the clock until the clock is right again", async () => {
  assert.equal(await doctorSays(), "ok");
  world.clock.set(hourMs);
  await until("the venue notices the step", async () => (await status()) === "degraded");
  const { status: code, json } = await world.health();
  assert.equal(code, 200, "Trading must continue");
  assert.match(json.reason, /^clock: the machine's clock was set/);
  assert(Math.abs(await aheadMs()) < 1_000, "The venue's own time must continue");
  assert.equal(await world.metric("rialto_clock_held"), 1);
  assert(Math.abs(((await world.metric("rialto_clock_step_seconds")) ?? 0) - 3_600) < 2);
  const words = "the machine's clock was set: the venue continues on the monotonic clock";
  await until("the log names the step", async () => world.told.includes(words));
  assert.equal(await doctorSays(), "fault");
  const shown = JSON.parse((await world.run(["clock", "show", "--json"])).printed);
  assert.equal(shown.state, "held");
  assert(Math.abs(shown.difference_s - 3_600) < 2);
  assert.equal((await world.call("status")).clock, "held");
  world.clock.set(0);
  await until("the venue trusts the clock again", async () => (await status()) === "ok");
  assert.equal(await world.metric("rialto_clock_held"), 0);
  assert.equal(await doctorSays(), "ok");
});

test("CLK-5 CLK-11 CLK-10 a venue started with a wrong clock knows the time within the same boot, and after a reboot needs the operator", async () => {
  world.clock.set(30 * dayMs);
  await world.end("SIGTERM");
  const offline = await world.run(["accounts", "create", "--json"]);
  assert.equal(offline.code, 0, offline.complained);
  await world.checkJournal();
  await world.start();
  assert.equal(await status(), "degraded");
  assert(Math.abs(await aheadMs()) < 1_000);
  await world.checkJournal();
  await world.end("SIGTERM");
  // Remove the stored time. This simulates a reboot, after which the stored time would be useless too: the monotonic
  // clock starts anew, so it cannot be compared with a stored value.
  await rm(join(world.dataDir, "clock.json"));
  const { code, complained } = await world.run(["start"], { DEV_TOOLS: "0" });
  assert.equal(code, 1);
  assert.match(complained, /720\.0 h after the newest event .* 'rialto start --accept-clock'/);
  const without = await world.run(["accounts", "create"], { DEV_TOOLS: "0" });
  assert.equal(without.code, 1);
  assert.match(without.complained, /720\.0 h after the newest event/);
  world.clock.set(-hourMs);
  const behind = await world.run(["start"]);
  assert.equal(behind.code, 1);
  assert.match(behind.complained, /1\.0 h before the newest event/);
  await world.checkJournal();
  world.clock.set(0);
  await world.start(["--accept-clock"], { DEV_TOOLS: "0" });
  await until("the venue reports no problem", async () => (await status()) === "ok");
  assert(Math.abs(await aheadMs()) < 1_000);
});

test("CLK-4 CLK-9 rialto clock accept makes venue and ledger accept the machine's time, forward and back", async () => {
  for (const offsetMs of [hourMs, 0]) {
    world.clock.set(offsetMs);
    await until("the venue notices the step", async () => (await status()) === "degraded");
    const { code, printed } = await world.run(["clock", "accept", "--json"]);
    assert.equal(code, 0);
    assert(Math.abs(JSON.parse(printed).accepted_s - (offsetMs === 0 ? -3_600 : 3_600)) < 2);
    await until("the ledger is read again", async () => (await status()) === "ok");
    assert(Math.abs(await aheadMs(offsetMs)) < 1_000);
    await until("the ledger answers", async () => {
      return (await world.call("ledger")).state === "open";
    });
  }
});
