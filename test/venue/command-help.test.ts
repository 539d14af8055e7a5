// Proves the help of the command line: every command has a working example, `--json` prints JSON, and a closed pipe
// ends a command quietly.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { migrationsFolder } from "../../src/adapters/postgres/migrate.ts";
import { createProgram } from "../../src/venue/cli/program.ts";
import { runCli } from "../support/venue/cli-process.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
let settings: Record<string, string>;

before(async () => {
  fixture = await VenueFixture.open();
  await fixture.trader();
  await fixture.venue.close();
  settings = { DATABASE_URL: fixture.database.url, DATA_DIR: fixture.dataDir };
});
after(() => fixture.close());

const thrown = (error: Error): never => {
  throw error;
};

/** Returns all commands that do something, as argument lists. */
function leavesOf(command: Command, args: readonly string[] = []): [string[], Command][] {
  const below = command.commands.flatMap((one) => leavesOf(one, [...args, one.name()]));
  return command.commands.length === 0 ? [[[...args], command]] : below;
}

/** Returns the help of a command, examples included. */
function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (args) => {
      text += args;
    },
  });
  command.outputHelp();
  return text;
}

/** Splits a shell line into arguments: quoted text is one argument, a comment is none. */
function wordsOf(line: string): string[] {
  const [command = ""] = line.split(/ {2,}/);
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );
}

test("OPS-29 every command is described, and accepts the examples in its help", async () => {
  const leaves = leavesOf(createProgram(thrown));
  assert(leaves.length > 40);
  for (const [args, leaf] of leaves) {
    const name = args.join(" ");
    assert.notEqual(leaf.description(), "", name);
    const help = helpOf(leaf);
    assert.match(help, /--json/, name);
    assert.doesNotMatch(help, /\(default: [^()]*\) \(default: /, `${name} has two defaults`);
    for (const { mandatory, flags, description } of leaf.options)
      if (mandatory) assert.match(description, /\(required\)$/, `${name} ${flags}`);
    const examples = [...help.matchAll(/^ {2}\$ (?:[A-Z_]+=\S+ )*rialto (.*)$/gm)];
    assert(examples.length > 0, `${name} has no example`);
    for (const [, line = ""] of examples) {
      let taken: Command | null = null;
      const program = createProgram(thrown);
      for (const [, one] of leavesOf(program)) {
        one.action((...given: unknown[]) => {
          taken = given.at(-1) as Command;
        });
      }
      await program.parseAsync(wordsOf(line), { from: "user" });
      assert.equal((taken as Command | null)?.name(), leaf.name(), line);
    }
  }
});

test("OPS-29 results are one JSON document with --json, placed before or after the command", async () => {
  for (const args of [
    ["migrate", "--json"],
    ["--json", "status"],
    ["snapshot", "--json"],
    ["markets", "list", "--json"],
    ["accounts", "create", "--json"],
    ["accounts", "house", "1001", "--json"],
    ["keys", "create", "1001", "--allow-ip", "192.0.2.7", "10.0.0.0/8", "--json"],
    ["keys", "revoke", "2", "--json"],
    ["providers", "list", "--json"],
  ]) {
    const { code, printed, complained } = await runCli(args, settings);
    assert.equal(code, 0, `${args}: ${complained}`);
    assert.notEqual(JSON.parse(printed), null, args.join(" "));
    const isRestricted = args.includes("--allow-ip");
    if (isRestricted) assert.deepEqual(JSON.parse(printed).allowed_ips, args.slice(4, 6));
  }
  const { printed } = await runCli(["migrate"], settings);
  assert.match(printed, /^schema +current$/m);
});

test("OPS-29 with --json a failure is one JSON document too, with a message on standard error", async () => {
  const args = ["accounts", "show", "987654321"];
  const { code, printed, complained } = await runCli([...args, "--json"], settings);
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(printed), { error: complained.trimEnd() });
  const plain = await runCli(args, settings);
  assert.deepEqual([plain.code, plain.printed, plain.complained], [1, "", complained]);
});

test("OPS-29 an error repeats no user and no password of a URL", async () => {
  const args = ["watch", "https://carol:open-sesame@venue.example"];
  const { code, printed, complained } = await runCli([...args, "--json"], settings);
  assert.equal(code, 2);
  const repeated = /'https:\/\/\*\*\*@venue\.example' is invalid for argument 'url'/;
  assert.match(complained, repeated);
  assert.match(JSON.parse(printed).error, repeated);
  assert.doesNotMatch(printed + complained, /carol|sesame/);
});

test("OPS-29 a list of epochs from before the first seal is reported as nothing to verify yet, not as untrustworthy", async () => {
  const file = join(fixture.dataDir, "no-epochs.json");
  await writeFile(file, '{"items":[],"next_cursor":null}');
  const { code, printed } = await runCli(["verify-proof", file], settings);
  assert.equal(code, 3);
  assert.match(printed, /The list of epochs is empty: the first epoch is sealed within a minute/);
  assert.match(printed, /^ {2}Nothing to verify yet\.$/m);
  assert.doesNotMatch(printed, /trust/);
});

test("OPS-29 a closed pipe ends a command without a message", async () => {
  const cli = fileURLToPath(new URL("../../bundle/src/venue/rialto.js", import.meta.url));
  const ran = await new Promise<{ code: unknown; complained: string }>((resolve) => {
    const script = `${process.execPath} ${cli} markets list | true; exit \${PIPESTATUS[0]}`;
    const env = { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "error", ...settings };
    execFile("bash", ["--norc", "-c", script], { env }, (fault, _, complained) =>
      resolve({ code: fault?.code ?? 0, complained }),
    );
  });
  assert.deepEqual(ran, { code: 0, complained: "" });
});

test("OPS-112 output that cannot be written is one line and exit code 1", {
  skip: existsSync("/dev/full") ? false : "the system has no full device",
}, async () => {
  const cli = fileURLToPath(new URL("../../bundle/src/venue/rialto.js", import.meta.url));
  const env = { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "error", ...settings };
  for (const args of ["markets list", "status --json"]) {
    const ran = await new Promise<{ code: unknown; complained: string }>((resolve) => {
      const script = `exec ${process.execPath} ${cli} ${args} > /dev/full`;
      execFile("bash", ["--norc", "-c", script], { env }, (fault, _, complained) =>
        resolve({ code: fault?.code ?? 0, complained }),
      );
    });
    assert.equal(ran.code, 1, args);
    assert.match(ran.complained, /^the output cannot be written: ENOSPC: [^\n]*\n$/);
  }
});

test("OPS-70 --version prints the version of the package", async () => {
  const { version } = JSON.parse(
    await readFile(join(migrationsFolder(), "../package.json"), "utf8"),
  );
  const { code, printed } = await runCli(["--version"], settings);
  assert.deepEqual([code, printed], [0, `${version}\n`]);
  const status = await runCli(["status", "--json"], settings);
  assert.equal(JSON.parse(status.printed).version, version);
});

test("OPS-70 without --json nested results are printed as lines and tables, not as objects", async () => {
  const { code, printed } = await runCli(["markets", "risk", "BTC-PERP"], settings);
  assert.equal(code, 0);
  assert.doesNotMatch(printed, /[{}]|\[object/);
  assert.match(printed, /^terms +\n {2}term +value +usual +unit +/m);
  assert.match(printed, /^ {2}index-depth +\d+ +\d+ +/m);
});
