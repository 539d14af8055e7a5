// Proves what a watcher makes of statements of liabilities: real ones of a venue, ones that were changed on their way,
// and one of a venue that owes more than it holds.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { until } from "../epochs/epoch-waits.ts";
import type { Json } from "../support/client/json.ts";
import { runCli } from "../support/venue/cli-process.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { ServerBetween, send } from "./server-between.ts";

/** Two minutes: a look starts a process; a statement's entry is sealed two epochs after its own, and the ledger is read meanwhile. */
const longMs = 120_000;

let fixture: VenueFixture;
let between: ServerBetween;
let home: string;

before(async () => {
  const settings = { EPOCH_SECONDS: "1", LIABILITIES_EPOCHS: "1", LEDGER_PROFILE: "devnet" };
  fixture = await VenueFixture.open(settings);
  between = await ServerBetween.open(fixture.address);
  home = await mkdtemp(join(tmpdir(), "rialto-watch-"));
  await sealedStatement();
});

afterEach(() => {
  between.reply = () => false;
});

after(async () => {
  between.close();
  await fixture.close();
  await rm(home, { recursive: true });
});

/** Waits for a statement whose journal entry is sealed. */
function sealedStatement(): Promise<Json> {
  return until(
    "a statement in a sealed epoch",
    async () => {
      const { json } = await fixture.get("/v1/liabilities/statements?limit=5");
      for (const { epoch } of json.items) {
        const { json: statement } = await fixture.get(`/v1/liabilities/${epoch}`);
        if (statement.entry !== null) return { epoch, ...statement };
      }
      return null;
    },
    longMs,
  );
}

async function look(state: string) {
  const args = ["--json", "watch", between.address, "--once", "--state", join(home, state)];
  // Epochs of a second come late on a busy machine.
  const patient = ["--stale-epochs", "1000"];
  const { code, printed, complained } = await runCli([...args, ...patient], {});
  assert.notEqual(printed, "", complained);
  const told: { subject: string; state: string; message: string }[] = JSON.parse(printed);
  return { code, of: (subject: string) => told.find((one) => one.subject === subject) };
}

async function remembered(state: string): Promise<Json> {
  return JSON.parse(await readFile(join(home, state, "watch.json"), "utf8"));
}

test("WCH-4 each statement is verified up to its journal entry, and later rounds go on from there", async () => {
  const first = await until(
    "a statement that is checked whole",
    async () => {
      const found = await look("well");
      assert.equal(found.code, 0, JSON.stringify(found.of("statement")));
      return (await remembered("well")).statement;
    },
    longMs,
  );
  const next = await until(
    "a later one",
    async () => {
      await look("well");
      const { statement } = await remembered("well");
      return statement.epoch === first.epoch ? null : statement;
    },
    longMs,
  );
  assert(BigInt(next.epoch) > BigInt(first.epoch));
  assert.match(
    (await look("well")).of("statement")?.message ?? "",
    /^the newest is of epoch \d+, /,
  );
});

/** Answers with the one statement, changed; its digest and that of the list are those of the text if `hashes`. */
function changed(statement: Json, change: (answer: Json, text: Json) => void, hashes: boolean) {
  const answer = structuredClone(statement);
  const text = JSON.parse(answer.statement);
  change(answer, text);
  answer.statement = JSON.stringify(text);
  if (hashes) answer.digest = createHash("sha256").update(answer.statement).digest("hex");
  const { epoch, digest } = answer;
  return (path: string, response: ServerResponse) => {
    if (path.startsWith("/v1/liabilities/statements"))
      return send(response, { items: [{ epoch, digest }], next_cursor: null });
    return path.startsWith("/v1/liabilities/") && send(response, answer);
  };
}

test("WCH-4 a statement that was changed is broken and kept, whatever was changed to hide it", async () => {
  const statement = await sealedStatement();
  const other = await until(
    "another statement",
    async () => {
      const found = await sealedStatement();
      return found.epoch === statement.epoch ? null : found;
    },
    longMs,
  );
  const more = (_: Json, text: Json) => {
    text.assets[0].total = `${BigInt(text.assets[0].total) + 1n}`;
  };
  /** All of the statement adds up, and only its journal entry is that of another text. */
  const all = (answer: Json, text: Json) => {
    more(answer, text);
    const [asset] = text.assets;
    asset.liabilities = `${BigInt(asset.liabilities) + 1n}`;
    Object.assign(asset, { holdings: null, in_flight: null, claims: null, surplus: null });
  };
  const epoch = Number(statement.epoch);
  const cases: readonly [string, (answer: Json, text: Json) => void, boolean, RegExp][] = [
    ["text", more, false, /the text hashes to/],
    ["sum", more, true, /total \d+ less shortfall \d+ is \d+, liabilities is \d+/],
    ["entry", all, true, /the entry has the digest/],
    ["otherEntry", (answer) => void Object.assign(answer, { entry: other.entry }), false, /digest/],
    [
      "otherChain",
      (answer) => {
        answer.entry = null;
        answer.stated_epoch = other.stated_epoch;
      },
      false,
      new RegExp(`epoch of the stated epoch is ${other.epoch}, the statement has ${epoch}`),
    ],
  ];
  for (const [name, change, hashes, fault] of cases) {
    between.reply = changed(statement, change, hashes);
    const { code, of } = await look(name);
    assert.equal(code, 3, name);
    assert.match(of("statement")?.message ?? "", fault, name);
    const files = await readdir(join(home, name));
    assert(files.includes(`statement-${epoch}.json`), files.join());
  }
  between.reply = changed(statement, () => undefined, false);
  assert.equal((await look("same")).code, 0, "the statement itself must be taken");
});

test("WCH-4 a second statement of an epoch is broken", async () => {
  const statement = await sealedStatement();
  between.reply = changed(statement, () => undefined, false);
  await look("second");
  assert.equal((await remembered("second")).statement.epoch, statement.epoch);
  const without = (answer: Json, text: Json) => {
    answer.entry = null;
    text.version = 1;
    text.assets[0].insurance = "1";
  };
  between.reply = changed(statement, without, true);
  const { code, of } = await look("second");
  assert.equal(code, 3);
  assert.match(of("statement")?.message ?? "", /it had the digest \w+ before, and now has/);
});

test("WCH-4 a list of epochs that is older than the statements, as from a cache, is no fault of the venue", async () => {
  const statement = await sealedStatement();
  const { json } = await fixture.get("/v1/chain/epochs?limit=1000");
  const cases: readonly [string, number][] = [
    ["entry", 0],
    ["stated", -1],
  ];
  for (const [name, shift] of cases) {
    const last = Number(statement.epoch) + shift;
    const items = json.items.filter(({ epoch }: Json) => Number(epoch) <= last);
    assert(items.length > 0, "an epoch before the stated one");
    const stated = changed(statement, () => undefined, false);
    between.reply = (path, answer) => {
      if (path.startsWith("/v1/chain/epochs"))
        return send(answer, { items: path.includes("cursor") ? [] : items });
      return stated(path, answer);
    };
    const { code, of } = await look(`cached-${name}`);
    assert.equal(code, 0, JSON.stringify(of("statement")));
    assert.equal((await remembered(`cached-${name}`)).statement, null, "it is checked again");
    between.reply = stated;
    assert.equal((await look(`cached-${name}`)).code, 0);
    assert.equal((await remembered(`cached-${name}`)).statement.epoch, statement.epoch);
  }
});

test("WCH-7 a venue that makes no more statements, or none at all, is told", async () => {
  const statement = await sealedStatement();
  between.reply = changed(statement, () => undefined, false);
  const args = ["watch", between.address, "--once", "--stale-seconds", "1"];
  const old = await until(
    "the statement is old",
    async () => {
      const found = await runCli([...args, "--state", join(home, "old")], {});
      return /silent {3}statement: /.test(found.printed) ? found : null;
    },
    longMs,
  );
  assert.equal(old.code, 5);
  between.reply = (path, answer) => path.startsWith("/v1/liabilities") && send(answer, {}, 404);
  const none = await look("none");
  assert.deepEqual([none.code, none.of("statement")?.state], [0, "unknown"]);
});

test("WCH-12 a venue that owes more than it holds is told with what it lacks", async () => {
  const [state] = ["deficit"];
  const before = await until(
    "assets that are known",
    async () => {
      const found = await look(state);
      return found.of("assets")?.state === "ok" ? found : null;
    },
    longMs,
  );
  assert.equal(before.code, 0);
  assert.doesNotMatch(before.of("assets")?.message ?? "", /faucet/);
  const { account } = await fixture.operator.createAccount("standard");
  // Money that no coin covers.
  const credit = { kind: CommandKind.credit, account, wallet: Wallet.spot, asset: 0 } as const;
  await fixture.venue.clearing.send({ ...credit, amount: 5n, isFromFaucet: true });
  const told = /held what it owed of every .*, counting its faucet's debt of 0\.000005 USDC$/;
  await until(
    "a debt of the faucet",
    async () => (told.test((await look(state)).of("assets")?.message ?? "") ? true : null),
    longMs,
  );
  await fixture.venue.clearing.send({ ...credit, amount: 1n, isFromFaucet: false });
  const after = await until(
    "a deficit",
    async () => {
      const found = await look(state);
      return found.of("assets")?.state === "deficit" ? found : null;
    },
    longMs,
  );
  assert.equal(after.code, 4);
  assert.match(
    after.of("assets")?.message ?? "",
    /^the venue states that it lacked 0\.000001 USDC at the end of epoch \d+$/,
  );
});
