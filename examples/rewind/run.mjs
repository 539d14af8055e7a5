// Runs one of the bots beside this file through a replayed day with faults, and compares what it believes with the truth.
// A bot is a program in any language. It gets BASE, KEY and SECRET (and ED25519_KEY and ED25519_FILE), trades BTCUSDT until
// its input ends, and then prints what it believes as its last line:
//
//   {"openOrders": ["mine-1"], "positions": {"BTCUSDT": "0.010"}}
//
//   node run.mjs ccxt [--profile NAME] [--seed 7] [--source day.csv] [--speed 720x]

import { execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
// In a project of your own: from "rialto-test".
import { openVenue } from "../../rialto-test/node/src/venue.js";
import { sampleDay } from "./sample-day.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const python = [process.env.PYTHON ?? "python3", "-B", "bot.py"];
/** How each bot is started, and the worst profile that its client survives: README.md says what others do to it. */
const bots = {
  ccxt: { command: python, survives: "bad-day" },
  freqtrade: { command: python, survives: "lost-cancels" },
  hummingbot: { command: python, survives: "unknown-answers" },
  nautilus: { command: python, survives: "cut-answers" },
  // Compiled before the day begins: the first time it takes longer than the day on a slow machine.
  "go-binance": { build: ["go", "build", "-o"], survives: "bad-day" },
};
const symbol = "BTCUSDT";
/** How long a bot may take to find out what is true after the day has ended. */
const settleMsMax = 120_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: "string" },
    seed: { type: "string", default: "1" },
    source: { type: "string" },
    speed: { type: "string", default: "720x" },
  },
});
const [name = ""] = positionals;
if (bots[name] === undefined) {
  process.stderr.write(`usage: run.mjs ${Object.keys(bots).join("|")} [--profile NAME] …\n`);
  process.exit(2);
}

const { build, survives } = bots[name];
const profile = values.profile ?? survives;
const seed = Number(values.seed);
const folder = mkdtempSync(join(tmpdir(), "rialto-bot-"));
const command = build === undefined ? bots[name].command : built(build);
const venue = await openVenue();
try {
  const outcome = await throughTheDay();
  process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
  process.exitCode = outcome.differences.length === 0 ? 0 : 1;
} finally {
  await venue.close();
  rmSync(folder, { recursive: true });
}

async function throughTheDay() {
  const account = await venue.account({ perp: { USDC: 100_000 }, tier: "house" });
  const day = venue.playMarket({
    source: values.source ?? writtenDay(),
    ...{ market: symbol, speed: values.speed, asNow: true, levels: 10, depthMs: 1000 },
  });
  await untilQuoted(day);
  const ownProfile = join(here, "profiles", `${profile}.json`);
  await venue.faults.apply(existsSync(ownProfile) ? ownProfile : profile, { seed });
  const bot = startBot(await settingsOf(account));
  const played = await Promise.race([day.result(), bot.ended.then(() => null)]);
  if (played === null) await day.stop();
  const believed = await bot.end();
  const truth = await account.truth();
  return {
    ...{ bot: name, profile, seed },
    ...{ trades: played?.trades ?? null, orders: truth.orders.length, fills: truth.fills.length },
    ...faultsSeen(),
    believed,
    differences: await account.believe(believed),
  };
}

/** Compiles the bot; returns the command that starts it. */
function built([program, ...words]) {
  const file = join(folder, "bot");
  execFileSync(program, [...words, file, "."], { cwd: join(here, name), stdio: ["ignore", 2, 2] });
  return [file];
}

function writtenDay() {
  const path = join(folder, "sample-day.csv");
  writeFileSync(path, `${[...sampleDay()].join("\n")}\n`);
  return path;
}

/** Waits until the book has both sides, as it does once the day has begun. */
async function untilQuoted(day) {
  const ended = day.result().then(() => true);
  for (;;) {
    const answer = await fetch(`${venue.address}/compat/fapi/v1/depth?symbol=${symbol}&limit=5`);
    const { bids = [], asks = [] } = await answer.json();
    if (bids.length > 0 && asks.length > 0) return;
    if (await Promise.race([ended, sleep(50, false)])) throw new Error("the day has no quotes");
  }
}

/** The bot reaches the venue only at the address with faults. Some clients need an Ed25519 key. */
async function settingsOf({ number, key, secret }) {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  const terms = { account: number, tier: "house", permissions: "READ,TRADE", publicKey: raw };
  const { api_key: ed25519 } = await venue.call("keys/create", terms);
  const file = join(folder, "key.pem");
  writeFileSync(file, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  const base = `${venue.faultAddress}/compat`;
  return { BASE: base, KEY: key, SECRET: secret, ED25519_KEY: ed25519, ED25519_FILE: file };
}

function startBot(settings) {
  const [program, ...words] = command;
  const child = spawn(program, words, {
    cwd: join(here, name),
    env: { ...process.env, ...settings, FOLDER: folder, PYTHONPATH: join(here, "python") },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    printed = (printed + text).slice(-65_536);
  });
  const ended = once(child, "close");
  return {
    ended,
    /** Tells it that the day is over; returns what it believes. */
    async end() {
      child.stdin.on("error", () => undefined).end();
      const late = setTimeout(() => child.kill("SIGKILL"), settleMsMax);
      await ended;
      clearTimeout(late);
      const last = printed.trim().split("\n").at(-1) ?? "";
      if (!last.startsWith("{")) throw new Error(`the bot told no belief: ${printed.slice(-2000)}`);
      return JSON.parse(last);
    },
  };
}

/** What happened to the bot at the address with faults, from the log of the faults. */
function faultsSeen() {
  const lines = readFileSync(join(venue.dataDir, "faults.jsonl"), "utf8").trim().split("\n");
  const rows = lines.map((line) => JSON.parse(line));
  const passed = rows.filter(({ method }) => !["STREAM", "APPLY", "CLEAR"].includes(method));
  return {
    requests: passed.length,
    lost_answers: passed.filter(({ kind }) => kind?.includes("lose-answer")).length,
    lost_requests: passed.filter(({ kind }) => kind?.includes("lose-request")).length,
    disconnects: rows.filter(({ kind }) => kind?.includes("disconnect")).length,
  };
}
