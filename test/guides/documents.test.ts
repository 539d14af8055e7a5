// Proves that the commands in the README and the guides work, by running them in a shell against the venue that a first
// start creates, with its demo accounts, its demo key and the built command line. The lists below name the blocks that
// this test does not run.

import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../epochs/epoch-waits.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { freePort } from "../support/free-port.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { CliProcess } from "../support/venue/cli-process.ts";
import { blocksOf, type DocumentBlock } from "./document-blocks.ts";
import { ShellSession } from "./shell-session.ts";

/** Blocks that this test cannot run: document, beginning of the block, and the reason. */
const unrun: ReadonlyArray<readonly [path: string, begins: string, reason: string]> = [
  ["README.md", "make run", "would rebuild the tree that the tests run from; CI runs this command"],
  [
    "docs/guides/two-machines.md",
    "ROLE=auto",
    "needs two machines and a standby; test/ops/leader-change runs two venues",
  ],
  [
    "docs/guides/two-machines.md",
    "rialto handover",
    "needs a follower; test/ops/leader-change hands over",
  ],
  ["docs/guides/run-a-venue.md", "make run", "would rebuild the tree that the tests run from"],
  [
    "docs/guides/run-a-venue.md",
    "PORT=9000",
    "would rebuild the tree, and names a database that does not exist",
  ],
  [
    "docs/guides/run-a-venue.md",
    "PRICE_FEEDS=",
    "names price feeds that do not exist; test/venue runs real ones",
  ],
  [
    "docs/guides/operate.md",
    "MASTER_KEY=",
    "needs the reader's own keys; test/venue/master-key has test keys",
  ],
  [
    "docs/guides/operate.md",
    "rialto deposits list",
    "needs the reader's batches and deposits; test/venue/custody and settlement have test data",
  ],
  [
    "docs/guides/journal-export.md",
    "npm install flatbuffers",
    "needs the network; test/journal runs the program with the same packages",
  ],
  [
    "docs/guides/journal-export.md",
    "pip install flatbuffers",
    "needs a package index, which only make slow has",
  ],
  [
    "docs/guides/operate.md",
    "rialto providers list",
    "needs the reader's providers; test/providers has test providers",
  ],
  [
    "docs/guides/be-a-liquidity-provider.md",
    "rialto provider",
    "runs until it is stopped; test/providers/swap-command runs it",
  ],
  [
    "docs/guides/test-your-bot.md",
    "docker build",
    "needs a container engine, which only make slow has: test/ops/image",
  ],
  ["docs/guides/canton.md", "export LEDGER_URL", "needs a participant of the ledger network"],
  [
    "docs/guides/canton.md",
    "rialto accounts create",
    "needs a participant; test/ledger does it on a devnet",
  ],
  [
    "docs/guides/canton.md",
    "rialto deposits list",
    "needs a participant; test/venue/custody has such deposits",
  ],
];

/**
 * Documents whose commands run in another test, which also checks their output. Those for a whole cluster run in make
 * slow: test/ops/three-machines.slow.test.ts and backup.slow.test.ts. Those for a venue that can be rewound run, with other
 * values, in test/venue: market-time, step-mode, replay-market, synthetic-market and fork. Watchers, which do not end by
 * themselves, run in test/watch, and what needs a statement of liabilities in test/epochs/balances-guide.
 */
const ownTests = new Set([
  "docs/guides/check-your-balances.md",
  "docs/guides/run-on-three-machines.md",
  "docs/guides/backup-and-restore.md",
  "docs/guides/faults.md",
  "docs/guides/fork-a-venue.md",
  "docs/guides/find-a-bug.md",
  "docs/guides/make-a-market.md",
  "docs/guides/native-walk.md",
  "docs/guides/replay-a-market.md",
  "docs/guides/rewind.md",
  "docs/guides/run-the-examples.md",
  "docs/guides/swap.md",
  "docs/guides/watch-a-venue.md",
]);

/** Blocks in other languages, each with the test that runs or reads them, or the reason why none does. */
const otherLanguages: Readonly<Record<string, string>> = {
  "docs/guides/python.md python": "test/guides/example-languages runs it in make slow",
  "docs/guides/go.md go": "test/guides/example-languages runs it in make slow",
  "docs/guides/run-the-examples.md js": "test/guides/example-languages runs it",
  "docs/guides/clients.md js": "test/clients runs them",
  "docs/guides/clients.md json": "test/clients gives it to ccxt",
  "docs/guides/test-your-bot.md js": "test/guides/rialto-test runs it",
  "docs/guides/test-your-bot.md python":
    "test/guides/rialto-test runs them; with pytest in make slow",
  "docs/guides/find-a-bug.md js":
    "test/guides/find-a-bug runs the programs, and checks what they print",
  "docs/guides/clients.md python": "the guide shows it only for reading",
  "docs/guides/be-a-liquidity-provider.md json": "test/providers/guide reads them",
  "docs/guides/be-a-liquidity-provider.md text": "test/providers/guide reads them",
  "docs/guides/faults.md json": "test/faults applies it",
  "docs/guides/make-a-market.md json": "src/tools/synthetic reads such scripts in its tests",
  "docs/guides/run-a-gateway.md text": "test/gateway starts gateways with these settings",
  "docs/guides/journal-export.md python": "test/journal runs it in make slow",
  "docs/guides/journal-export.md ts": "test/journal runs it",
  "docs/guides/trade-over-fix.md ini": "test/clients runs QuickFIX with these settings",
  "docs/guides/trade-with-a-key.md text": "shows the output of the blocks above",
  "docs/guides/listen-to-a-venue.md json": "test/streams sends such frames, signed",
  "docs/guides/watch-a-venue.md js": "test/watch/guide runs it",
  "docs/guides/watch-a-venue.md json": "test/watch/limits receives such changes",
  "docs/guides/cancel-on-disconnect.md json":
    "test/venue/cancel-on-disconnect sends such a logon, signed",
};

const guides = readdirSync(join(projectRoot, "docs/guides")).map((name) => `docs/guides/${name}`);
// The README comes last, because its swap creates an account, and the guides use the account numbers of a first
// start.
const documents = [...guides, "README.md"];

let database: TestDatabase;
let dataDir: string;
let venue: CliProcess;
let env: Readonly<Record<string, string>>;
let address: string;
let demoLine: string;

before(async () => {
  database = await createTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), "rialto-documents-"));
  const own = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    FIX_PORT: String(await freePort()),
  };
  const settings = {
    ...own,
    DEV_TOOLS: "1",
    PORT: "0",
    LEDGER_COMMIT_FROM_MS: "0",
    LEDGER_COMMIT_TO_MS: "0",
    PROVIDER_HEALTH_MS: "50",
    // A busy machine may need longer for a quote than a trader would wait.
    SWAP_QUOTE_WINDOW_MS: "20000",
    SWAP_FUNDS_MS: "30000",
    // Each epoch costs traffic on the ledger. With shorter epochs it would be used up before the last swap.
    EPOCH_SECONDS: "5",
  };
  venue = new CliProcess(["start"], settings);
  [, address = ""] = await venue.untilPrinted(/^Rialto is open at (http:\S+)$/m);
  [demoLine = ""] = await venue.untilPrinted(/^q=.*$/m);
  const [, key = ""] = await venue.untilPrinted(/^ {2}key {5}(\S+)$/m);
  const [, secret = ""] = await venue.untilPrinted(/^ {2}secret {2}(\S+)$/m);
  env = { ...own, BASE: address, KEY: key, SECRET: secret };
  await until("the first proof", async () => {
    const { status } = await fetch(`${address}/v1/chain/proof?seq=1`);
    return status === 200 ? status : null;
  });
});
after(async () => {
  venue.signal("SIGTERM");
  await venue.ended;
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

function isUnrun({ path, text }: DocumentBlock): boolean {
  return unrun.some(([place, begins]) => place === path && text.startsWith(begins));
}

/**
 * Opens a shell session in a folder with the auditor's kit, the proof verifier, and a package.json that makes Node.js
 * load the verifier as a module.
 */
function reader(): ShellSession {
  const session = new ShellSession({ address, env });
  const verifier = join(projectRoot, "dist/src/services/epochs/proof-verifier.js");
  copyFileSync(verifier, join(session.folder, "proof-verifier.js"));
  const kit = "rialto_audit";
  cpSync(join(projectRoot, "tools/audit", kit), join(session.folder, kit), { recursive: true });
  writeFileSync(join(session.folder, "package.json"), '{"type":"module"}');
  return session;
}

/** Places the demo order, so that a command that is waiting for a trade gets one. */
async function somebodyTrades(): Promise<void> {
  const session = new ShellSession({ address, env });
  await session.run([demoLine]);
  session.close();
}

for (const path of documents.filter((document) => !ownTests.has(document))) {
  const blocks = blocksOf(path).filter((block) => block.language === "sh" && !isUnrun(block));
  if (blocks.length === 0) continue;
  test(`DOC-9 the commands of ${path} succeed`, { timeout: 1_200_000 }, async () => {
    const session = reader();
    const ending = blocks.filter((block) => block.until === null);
    const { code, printed, complained } = await session.run(ending.map(({ text }) => text));
    const last = ending[printed.length - 1];
    assert.equal(code, 0, `${path}:${last?.line} ${complained}\n${printed.at(-1)}`);
    for (const block of blocks.filter((one) => one.until !== null)) {
      const earlier = ending.filter(({ line }) => line < block.line).map(({ text }) => text);
      const seen = await session.runUntil(
        [...earlier, block.text],
        block.until ?? "",
        somebodyTrades,
      );
      assert(seen.includes(block.until ?? ""), `${path}:${block.line} ${seen}`);
    }
    session.close();
  });
}

test("DOC-9 the README's first order and first position with ccxt work", async () => {
  const programs = blocksOf("README.md").filter(({ language }) => language === "js");
  const session = reader();
  // The programs lie next to the compiled tests, so that their imports find the installed packages.
  const files = ["first-order", "first-position"].map((name) =>
    join(projectRoot, `dist/test/guides/${name}.mjs`),
  );
  for (const [at, file] of files.entries()) writeFileSync(file, programs[at]?.text ?? "");
  const { code, printed, complained } = await session.run(files.map((file) => `node ${file}`));
  assert.equal(code, 0, complained);
  assert.match(printed[0] ?? "", /closed|open/);
  assert.match(printed[1] ?? "", /^\s*long 0\.01 .*\nclosed/);
  session.close();
});

test("DOC-9 every block is run, or has a stated reason for not being run", () => {
  const blocks = documents.flatMap(blocksOf);
  const others = blocks.filter(
    ({ path, language }) => !["", "sh"].includes(language) && path !== "README.md",
  );
  for (const { path, language, line } of others) {
    assert(otherLanguages[`${path} ${language}`] !== undefined, `${path}:${line}`);
  }
  for (const [path, begins] of unrun) {
    assert(
      blocks.some((block) => block.path === path && isUnrun(block)),
      `${path}: ${begins}`,
    );
  }
  assert(blocks.filter(isUnrun).length < blocks.length / 5);
});

test("DOC-9 the check finds a document whose command blocks have no language", () => {
  const commands = /^(curl|make|npm|npx|rialto|node|openssl|PORT=|export) /m;
  const undescribed = documents
    .flatMap(blocksOf)
    .filter(({ language, text }) => language === "" && commands.test(text));
  assert.deepEqual(
    undescribed.map(({ path, line }) => `${path}:${line}`),
    [],
  );
});
