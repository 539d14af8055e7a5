// Proves what `rialto watch` finds at a venue that keeps its word, and at one that tells others, or later, something
// else. The venue is real; lies are told by a server between, which has the venue's key where the venue itself lies.

import assert from "node:assert/strict";
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import {
  HeadSigner,
  type SignedHead,
  signedHeadIn,
} from "../../src/services/access/signed-head.ts";
import { HeadFolder } from "../../src/tools/watch/head-folder.ts";
import { Watcher } from "../../src/tools/watch/watcher.ts";
import { until } from "../epochs/epoch-waits.ts";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { rewritten, ServerBetween, send } from "./server-between.ts";

const strangersKey = new HeadSigner(new Uint8Array(32));

/** Two minutes: a look starts a process, which takes seconds on a busy machine. */
const longMs = 120_000;

let fixture: VenueFixture;
/** The key of the real venue, with which it could sign lies too. */
let venueKey: HeadSigner;
let between: ServerBetween;
let home: string;

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "1" });
  venueKey = new HeadSigner(fixture.venue.keys.nonceKey);
  await fixture.trader();
  between = await ServerBetween.open(fixture.address);
  home = await mkdtemp(join(tmpdir(), "rialto-watch-"));
  await until("three epochs", async () => ((await newestEpoch()).count >= 3 ? true : null));
});

afterEach(() => {
  between.reply = () => false;
});

after(async () => {
  between.close();
  await fixture.close();
  await rm(home, { recursive: true });
});

interface Told {
  readonly subject: string;
  readonly state: string;
  readonly message: string;
}

/** Looks once at the venue behind the server between, and returns what was found by subject. */
async function look(state: string, ...options: string[]) {
  const args = ["--json", "watch", between.address, "--once", "--state", join(home, state)];
  // Epochs of a second come late on a busy machine.
  const patient = ["--stale-epochs", "1000"];
  const { code, printed, complained } = await runCli([...args, ...patient, ...options], {});
  assert.notEqual(printed, "", complained);
  const told = JSON.parse(printed) as Told[];
  return { code, told, of: (subject: string) => told.find((one) => one.subject === subject) };
}

async function newestEpoch(): Promise<{ readonly epoch: number; readonly count: number }> {
  const { json } = await fixture.get("/v1/chain/epochs?limit=1000");
  return { epoch: Number(json.items[0]?.epoch ?? 0), count: json.items.length };
}

/** Waits until the venue has sealed an epoch after this one. */
function sealedAfter(epoch: number): Promise<number> {
  return until(`an epoch after ${epoch}`, async () => {
    const { epoch: newest } = await newestEpoch();
    return newest > epoch ? newest : null;
  });
}

async function headsOf(state: string): Promise<SignedHead[]> {
  const text = await readFile(join(home, state, "heads.jsonl"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function evidence(state: string, name: RegExp) {
  const files = await readdir(join(home, state));
  const file = files.find((one) => name.test(one));
  assert(file !== undefined, `one of ${files.join(", ")} must match ${name}`);
  return JSON.parse(await readFile(join(home, state, file), "utf8"));
}

test("WCH-1 WCH-3 a first look checks the whole chain, later ones go on from the signed head that was kept", async () => {
  const first = await look("well");
  assert.equal(first.code, 0, JSON.stringify(first.told));
  assert.match(
    first.of("chain")?.message ?? "",
    /^\d+ epochs? (is|are) one chain, from the first of all to /,
  );
  assert.deepEqual(first.of("venue")?.state, "ok");
  const [kept] = await headsOf("well");
  assert.deepEqual(signedHeadIn(kept), kept);
  await sealedAfter(Number(kept?.epoch));
  const second = await look("well");
  assert.equal(second.code, 0);
  assert.match(second.of("chain")?.message ?? "", new RegExp(`from ${kept?.epoch} to `));
  const heads = await headsOf("well");
  assert.equal(heads.length, 2);
  assert.equal(heads[0]?.key, heads[1]?.key);
});

test("WCH-3 a head that a crash cut short is no head, and later ones are kept on lines of their own", async () => {
  await look("cut");
  const file = join(home, "cut", "heads.jsonl");
  const [kept] = await headsOf("cut");
  await appendFile(file, JSON.stringify(kept).slice(0, 100));
  await sealedAfter(Number(kept?.epoch));
  const again = await look("cut");
  assert.match(again.of("chain")?.message ?? "", new RegExp(`from ${kept?.epoch} to `));
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  assert.equal(lines.length, 3);
  assert.deepEqual(signedHeadIn(JSON.parse(lines[2] ?? "")), JSON.parse(lines[2] ?? ""));
  await writeFile(join(home, "cut", "watch.json"), "{}");
  const args = ["watch", between.address, "--once", "--state", join(home, "cut")];
  const { code, complained } = await runCli(args, {});
  assert.equal(code, 1);
  assert.match(complained, /watch\.json cannot be read/);
});

test("WCH-1 one changed digit of a header is a broken chain", async () => {
  between.reply = async (path, answer) => {
    if (!path.startsWith("/v1/chain/epochs")) return false;
    const { json } = await fixture.get(path);
    if (json.items.length > 1) json.items[1].fill_count = "7";
    return send(answer, json);
  };
  const { code, of } = await look("digit");
  assert.equal(code, 3);
  assert.match(
    of("chain")?.message ?? "",
    /the header hashes to .* the evidence is in .*broken-chain-first\.json/,
  );
  const { says, evidence: shown } = await evidence("digit", /^broken-chain-first\.json$/);
  assert.match(says, /header hashes to/);
  assert.equal(shown.epochs[1].fill_count, "7");
});

test("WCH-11 a root that the reader has from elsewhere must be the chain's", async () => {
  const { json } = await fixture.get("/v1/chain/epochs?limit=1000");
  const { epoch, root } = json.items.at(-1);
  const own = await look("rooted", "--root", `${epoch}:${root}`, "--root", `9${epoch}:${root}`);
  assert.equal(own.code, 0);
  assert.deepEqual(
    [own.of(`root ${epoch}`)?.state, own.of(`root 9${epoch}`)?.state],
    ["ok", "unknown"],
  );
  const other = await look("rooted", "--root", `${epoch}:${"ab".repeat(32)}`);
  assert.equal(other.code, 3);
  assert.equal(other.of(`root ${epoch}`)?.state, "broken");
});

test("WCH-5 a chain that was rewritten below a kept head is broken, and without a signature there is evidence", async () => {
  await look("rewritten");
  const [kept] = await headsOf("rewritten");
  between.reply = rewritten(fixture.address, Number(kept?.epoch), null);
  const { code, of } = await look("rewritten");
  assert.equal(code, 3);
  assert.match(
    of("chain")?.message ?? "",
    new RegExp(`epoch ${kept?.epoch} had root ${kept?.root} and now has`),
  );
  const { kept: own } = await evidence("rewritten", /^broken-chain-/);
  assert.deepEqual(own, kept);
});

/** Asserts that the evidence proves to a stranger that the venue signed two roots of one epoch. */
function assertTwoStories({ heads }: { readonly heads: readonly unknown[] }, key: string): void {
  const [one, other] = heads.map(signedHeadIn);
  assert(one && other);
  assert.deepEqual([one.key, other.key], [key, key]);
  assert.equal(one.epoch, other.epoch);
  assert.notEqual(one.root, other.root);
}

test("WCH-5 a venue that signs the rewritten chain too is proved to have told two stories", async () => {
  await look("signed");
  const [kept] = await headsOf("signed");
  between.reply = rewritten(fixture.address, Number(kept?.epoch), venueKey);
  const { code, of } = await look("signed");
  assert.equal(code, 3);
  assert.match(
    of("chain")?.message ?? "",
    /the venue signed two heads of epoch \d+: the proof is in /,
  );
  assertTwoStories(await evidence("signed", /^equivocation-/), kept?.key ?? "");
});

test("WCH-3 a head of another key, or of another root than the list, is refused", async () => {
  await look("key");
  const { epoch } = await newestEpoch();
  await sealedAfter(epoch);
  between.reply = rewritten(fixture.address, epoch + 1, strangersKey);
  const other = await look("key");
  assert.equal(other.code, 3);
  assert.match(other.of("head")?.message ?? "", /is signed by .*, not by /);
  const [kept] = await headsOf("key");
  const { key: own, answer } = await evidence("key", /^wrong-head-/);
  assert.equal(own, kept?.key);
  assert.notEqual(signedHeadIn(answer)?.key, own);
  between.reply = rewritten(fixture.address, epoch + 1, null);
  const listed = await look("key");
  assert.equal(listed.code, 3);
  assert.match(
    listed.of("head")?.message ?? "",
    /lists another root of epoch \d+ than it signs: the evidence is in .*wrong-head-/,
  );
  const key = Buffer.alloc(32, 1).toString("base64");
  between.reply = () => false;
  assert.equal((await look("pinned", "--key", key)).code, 3);
});

test("WCH-6 two watchers that were told different things prove it by comparing their heads", async (t) => {
  const real = new CliProcess(
    ["watch", fixture.address, "--interval", "1", "--listen", "0", "--state", join(home, "anna")],
    {},
  );
  t.after(() => real.signal("SIGKILL"));
  const [, port] = await real.untilPrinted(/heads are served at port (\d+)/);
  await real.untilPrinted(/head: epoch/);
  const anna = `http://127.0.0.1:${port}`;
  const agreed = await until(
    "heads of one epoch",
    async () => {
      const found = await look("bert", "--peer", anna);
      return found.of(`peer ${anna}`)?.state === "ok" ? found : null;
    },
    longMs,
  );
  assert.equal(agreed.code, 0, JSON.stringify(agreed.told));
  // From here on the venue tells Bert something else than Anna.
  const { epoch } = await newestEpoch();
  const wrong = await sealedAfter(epoch);
  between.reply = rewritten(fixture.address, wrong, venueKey);
  const caught = await until(
    "a head that differs",
    async () => {
      const found = await look("bert", "--peer", anna);
      return found.of(`peer ${anna}`)?.state === "broken" ? found : null;
    },
    longMs,
  );
  assert.equal(caught.code, 3);
  const [first] = await headsOf("bert");
  assertTwoStories(await evidence("bert", /^equivocation-/), first?.key ?? "");
  real.signal("SIGINT");
  assert.equal(await real.ended, 0, real.complained);
  // The file that Bert publishes is as good as a server.
  between.reply = () => false;
  const file = join(home, "bert", "heads.jsonl");
  const third = await look("anna", "--peer", file);
  assert.equal(third.code, 3);
  assert.equal(third.of(`peer ${file}`)?.state, "broken");
});

test("WCH-6 a file of a peer that cannot be read is told, and a folder is no file", async () => {
  const [absent, directory] = [join(home, "absent.jsonl"), home];
  const found = await look("reader", "--peer", absent, "--peer", directory);
  assert.equal(found.code, 0);
  assert.deepEqual(found.of(`peer ${absent}`)?.message, "the file cannot be read (ENOENT)");
  assert.deepEqual(found.of(`peer ${directory}`)?.message, "the file cannot be read (EISDIR)");
});

test("WCH-7 a venue whose newest epoch ends in the future is silent", async () => {
  const [venue, folder] = [new URL(fixture.address), await HeadFolder.open(join(home, "early"))];
  const terms = { venue, folder, peers: [], key: null, roots: new Map() };
  const stale = { staleEpochs: 1000, staleMs: 3_600_000 };
  const lookAt = async (nowMs: () => number) => {
    const watcher = new Watcher({ ...terms, ...stale, nowMs });
    const findings = await watcher.round(new AbortController().signal);
    return findings.find(({ subject }) => subject === "venue");
  };
  const hourBefore = await lookAt(() => Date.now() - 3_600_000);
  assert.equal(hourBefore?.state, "silent");
  assert.match(
    hourBefore?.message ?? "",
    /^the newest epoch ends \d+ s ahead of this machine's clock$/,
  );
  assert.equal((await lookAt(Date.now))?.state, "ok");
});

test("WCH-3 two watchers share a folder, and a file without heads is refused", async () => {
  const path = join(home, "shared");
  const both = [await HeadFolder.open(path), await HeadFolder.open(path)] as const;
  for (let round = 0; round < 20; round++)
    await Promise.all(both.map((folder) => folder.remember({ told: { venue: "ok" } })));
  assert.deepEqual(await readdir(path), ["watch.json"]);
  await writeFile(join(path, "heads.jsonl"), "not a head\n");
  await assert.rejects(HeadFolder.open(path), /heads\.jsonl has no head/);
});

test("WCH-6 what a peer says under another key, or unsigned, proves nothing", async () => {
  await look("liar");
  const [kept] = await headsOf("liar");
  assert(kept !== undefined);
  const { key: _, signature: __, ...fields } = kept;
  const lie = strangersKey.sign({ ...fields, root: "cd".repeat(32) });
  const file = join(home, "liar.jsonl");
  await writeFile(file, `${JSON.stringify(lie)}\n`);
  const disputed = await look("liar", "--peer", file);
  assert.equal(disputed.code, 3);
  assert.equal(disputed.of(`peer ${file}`)?.state, "disputed");
  await assert.rejects(evidence("liar", /^equivocation-/));
  await writeFile(file, `${JSON.stringify({ ...kept, root: "cd".repeat(32) })}\nnot JSON\n`);
  const unsigned = await look("liar", "--peer", file, "--peer", "http://127.0.0.1:1");
  assert.deepEqual(
    unsigned.told.filter(({ subject }) => subject.startsWith("peer")).map(({ state }) => state),
    ["unknown", "unknown"],
  );
  assert.equal(unsigned.code, 0);
});
