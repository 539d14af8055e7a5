// Plays markets, lets faults happen and moves time with the package for Node; markets.py must print the same.

import { setTimeout as sleep } from "node:timers/promises";
import { openVenue } from "rialto-test";

const [, , source] = process.argv;
const market = "BTCUSDT";
const venue = await openVenue();
const made = await venue.loadMarket({
  script: "calm",
  market,
  price: 95800,
  seed: 7,
  for: "2s",
  speed: "max",
});
const recorded = await venue.loadMarket({ source, market, speed: "max", asNow: true });
const playing = venue.playMarket({ script: "calm", market, price: 95800, speed: "1x" });
const bids = async () => {
  const answer = await fetch(`${venue.address}/fapi/v1/depth?symbol=${market}`);
  return (await answer.json()).bids;
};
while ((await bids()).length === 0) await sleep(50);
const stopped = await playing.stop();

const account = await venue.account({ funds: { USDC: 1000 } });
const status = async () => {
  const headers = { "X-MBX-APIKEY": account.key };
  return (await fetch(`${venue.faultAddress}/api/v3/time`, { headers })).status;
};
await venue.faults.apply("slow-venue", { address: "127.0.0.9" });
const profile = { name: "mine", faults: [{ kind: "outage", as: "503" }] };
await venue.faults.apply(profile, { account, seed: 3, for: "10m" });
const refused = [await status()];
await venue.faults.clear();
refused.push(await status());

const { time } = venue;
const states = [(await time.pause()).state];
const stepped = await time.step({ by: "5m" });
const jumped = await time.jump("candle");
const set = await time.set(new Date(jumped.time));
states.push(stepped.state, jumped.state, (await time.speed(2)).state);
const far = await time.set("2199-01-31T09:30:00Z").catch(({ message }) => message);
states.push((await time.resume()).state);
await venue.close();

const told = {
  made: [made.script, made.seed, made.refused],
  recorded: [recorded.depth, recorded.refused],
  stopped: [stopped.script, stopped.refused],
  refused,
  states,
  moved_ms: stepped.moved_ms,
  reached: jumped.reached,
  set: set.moved_ms,
  far: far.split(" after ")[0],
};
process.stdout.write(JSON.stringify(told));
