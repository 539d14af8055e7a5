// Proves that the commands of the guide about watching work against a venue, and that its program tells a proof of two
// stories from two heads that prove nothing.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { HeadSigner } from "../../src/services/access/signed-head.ts";
import { until } from "../epochs/epoch-waits.ts";
import { blocksIn } from "../guides/document-blocks.ts";
import { ShellSession } from "../guides/shell-session.ts";
import { freePort } from "../support/free-port.ts";
import { CliProcess } from "../support/venue/cli-process.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

const path = "docs/guides/watch-a-venue.md";
const [once = "", hooked = "", compared = ""] = blocksIn(path, "sh").map(({ text }) => text);

let fixture: VenueFixture;
let session: ShellSession;

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "5" });
  await fixture.trader();
  await until("an epoch", async () => {
    const { json } = await fixture.get("/v1/chain/epochs");
    return json.items.length > 0 ? true : null;
  });
  session = new ShellSession({ address: fixture.address, env: {} });
});

after(async () => {
  await fixture.close();
  session.close();
});

const nothing = async () => undefined;

test("WCH-1 WCH-2 DOC-9 the guide's first look finds what the guide says", async () => {
  const { code, printed, complained } = await session.run([once]);
  assert.equal(code, 0, complained);
  const [text = ""] = printed;
  assert.match(
    text,
    /^ok {7}venue: http:\S+ answers\nok {7}chain: \d+ epochs? (is|are) one chain, /,
  );
  assert.match(text, /\nok {7}head: epoch \d+ is signed by [A-Za-z0-9+/]{43}=\n/);
});

test("WCH-6 WCH-8 DOC-9 the guide's lasting watches begin", async (t) => {
  assert.match(await session.runUntil([hooked], "ledger:", nothing), /head: epoch \d+/);
  const port = await freePort();
  const [listening = "", comparing = ""] = compared
    .replace("0.0.0.0:9300", `${port}`)
    .replace("anna.example:9300", `127.0.0.1:${port}`)
    .replace("bert.example:9300", `127.0.0.1:${await freePort()}`)
    .split("\n");
  const args = listening
    .replace("http://127.0.0.1:8080", fixture.address)
    .replace(/^rialto /, "")
    .split(" ");
  const anna = new CliProcess([...args, "--interval", "1"], {}, session.folder);
  t.after(() => anna.signal("SIGKILL"));
  await anna.untilPrinted(/heads are served at port \d+[\s\S]*head: epoch/);
  const seen = await session.runUntil([comparing], "cannot be reached", nothing);
  assert.match(seen, new RegExp(`peer http://127.0.0.1:${port}: (\\d+ heads agree|no epoch)`));
  anna.signal("SIGINT");
  assert.equal(await anna.ended, 0, anna.complained);
});

test("WCH-5 DOC-9 the guide's program checks both signatures of a proof", async () => {
  const [program = ""] = blocksIn(path, "js").map(({ text }) => text);
  await writeFile(join(session.folder, "check.mjs"), program);
  const signer = new HeadSigner(new Uint8Array(32));
  const head = { venue: "venue-ü", epoch: "7", prev_root: "ab".repeat(32), time: "420000" };
  const one = signer.sign({ ...head, root: "cd".repeat(32) });
  const other = signer.sign({ ...head, root: "ef".repeat(32) });
  const cases = [
    [[one, other], "two stories"],
    [[one, one], "no proof"],
    [[one, { ...one, root: "ef".repeat(32) }], "no proof"],
    [[one, signer.sign({ ...head, epoch: "8", root: "ef".repeat(32) })], "no proof"],
    [[one, new HeadSigner(new Uint8Array(32).fill(1)).sign(other)], "no proof"],
  ] as const;
  for (const [heads, verdict] of cases) {
    await writeFile(join(session.folder, "proof.json"), JSON.stringify({ heads }));
    const { printed } = await session.run(["node check.mjs proof.json"]);
    assert.equal(printed[0]?.trim(), verdict, JSON.stringify(heads));
  }
});
