// A venue of a test bed, as a test uses it: accounts, markets, faults, market time, and the truth.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Account } from "./account.js";
import { optionWords, RunningCommand } from "./command.js";
import { controlCall, RialtoTestError } from "./control-call.js";
import { testbedCall } from "./testbed.js";
import { truthOf } from "./truth.js";

/** Opens a venue with an empty book in every market. It ends with `close`, or with this process. */
export async function openVenue({ settings = {} } = {}) {
  const texts = Object.entries(settings).map(([name, value]) => [name, String(value)]);
  const request = { owner_pid: process.pid, settings: Object.fromEntries(texts) };
  const shown = await testbedCall("venues/open", request);
  const { fault_address: faultAddress = null } = await controlCall(shown.control, "status");
  return new Venue(shown, faultAddress);
}

/** Opens a venue that is closed when the test of the context `t` of node:test ends. */
export async function useVenue(t, options) {
  const venue = await openVenue(options);
  t.after(() => venue.close());
  return venue;
}

export class Venue {
  #shown;
  #isOpen = true;

  constructor(shown, faultAddress) {
    this.#shown = shown;
    this.faultAddress = faultAddress;
    this.faults = new Faults(this);
    this.time = new MarketTime(this);
  }

  get id() {
    return this.#shown.id;
  }

  get address() {
    return this.#shown.address;
  }

  get control() {
    return this.#shown.control;
  }

  get dataDir() {
    return this.#shown.data_dir;
  }

  call(name, parameters = {}) {
    return controlCall(this.control, name, parameters);
  }

  run(words) {
    const { command, environment } = this.#shown;
    return new RunningCommand(command, environment, words.map(String));
  }

  async account({ funds = {}, perp = {}, tier = "standard", permissions = "READ,TRADE" } = {}) {
    const { account } = await this.call("accounts/create", { type: "standard" });
    for (const [wallet, amounts] of Object.entries({ spot: funds, perp })) {
      for (const [asset, amount] of Object.entries(amounts))
        await this.call("accounts/fund", { account, wallet, asset, amount: plainText(amount) });
    }
    const key = await this.call("keys/create", { account, tier, permissions, label: "test" });
    return new Account(this, account, key);
  }

  playMarket({ script, ...options }) {
    const words =
      script === undefined
        ? ["replay-market", ...optionWords(options)]
        : ["synthetic-market", ...optionWords({ script, ...options })];
    return this.run(words);
  }

  loadMarket(options) {
    return this.playMarket(options).result();
  }

  truth(account) {
    return truthOf(this, numberOf(account));
  }

  async report(path, { account, believed, ...options } = {}) {
    const about = account === undefined ? {} : { account: numberOf(account) };
    const words = optionWords({ out: path, force: true, ...about, ...options });
    if (believed === undefined) return this.run(["report", ...words]).result();
    const folder = await mkdtemp(join(tmpdir(), "rialto-test-"));
    try {
      const file = join(folder, "believed.json");
      await writeFile(file, JSON.stringify(believed));
      return await this.run(["report", ...words, "--believed", file]).result();
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  async close() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await testbedCall("venues/close", { id: this.id });
  }
}

function numberOf(account) {
  return typeof account === "number" ? account : account.number;
}

/** What happens on purpose to clients of the venue's `faultAddress`. */
class Faults {
  #venue;

  constructor(venue) {
    this.#venue = venue;
  }

  list() {
    return this.#venue.call("faults/list");
  }

  show() {
    return this.#venue.call("faults/show");
  }

  async apply(profile, { seed = 1, for: duration, ...target } = {}) {
    const to = targetOf(target);
    if (typeof profile === "string") {
      // The command line knows the ready profiles, and reads files.
      const words = ["faults", "apply", profile, ...optionWords({ ...to, seed, for: duration })];
      return this.#venue.run(words).result();
    }
    const forMs = duration === undefined ? null : durationMs(duration);
    return this.#venue.call("faults/apply", { profile, target: to, seed, forMs });
  }

  clear(target) {
    const to = target === undefined ? null : targetOf(target);
    return this.#venue.call("faults/clear", { target: to });
  }
}

/** Whom a profile happens to: one account's key, an address, or everybody. */
function targetOf({ account, key = account?.key, address }) {
  if (key !== undefined) return { key };
  return address === undefined ? { all: true } : { address };
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function durationMs(text) {
  const [, count, unit] = /^([1-9]\d{0,8})(ms|s|m|h|d)$/.exec(text) ?? [];
  if (count === undefined)
    throw new RialtoTestError(`for: expected a duration such as 250ms, 5s or 2m, not ${text}`);
  return Number(count) * unitMs[unit];
}

/** The market's time of a venue. */
class MarketTime {
  #venue;

  constructor(venue) {
    this.#venue = venue;
  }

  show() {
    return this.#venue.call("clock/show");
  }

  pause() {
    return this.#venue.call("clock/pause");
  }

  resume() {
    return this.#venue.call("clock/resume");
  }

  speed(factor) {
    return this.#venue.call("clock/speed", { factor });
  }

  step({ by, events }) {
    return this.#venue.call("clock/step", { by, events });
  }

  jump(to) {
    return this.#venue.call("clock/jump", { to });
  }

  set(time) {
    const text = time instanceof Date ? time.toISOString() : time;
    return this.#venue.call("clock/set", { time: text });
  }
}

/** A number without an exponent, which the venue does not read: 1e-7 is 0.0000001. */
function plainText(amount) {
  if (typeof amount !== "number") return String(amount);
  return amount.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 });
}
