// Proves what bash, zsh and fish offer with the scripts that the command line prints: commands, options, and values
// where values belong.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { runCli } from "../support/venue/cli-process.ts";

const run = promisify(execFile);

let folder: string;
let env: Record<string, string>;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-completion-"));
  await mkdir(join(folder, "config"));
  for (const name of ["config/desk.secret", "config/other.secret", "a proof.json"])
    await writeFile(join(folder, name), "");
  env = {
    HOME: folder,
    RIALTO_CONFIG_DIR: join(folder, "config"),
    PATH: process.env["PATH"] ?? "",
  };
});
after(() => rm(folder, { recursive: true, force: true }));

/** What a shell offers for the last of the words; zsh and fish themselves drop what does not begin like it. */
type Shell = (script: string, words: readonly string[]) => Promise<string[]>;

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");
const listed = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");

const shells: Readonly<Record<string, Shell>> = {
  bash: async (script, words) => {
    const line = `${script}\nCOMP_WORDS=(rialto ${listed(words)})
COMP_CWORD=${words.length}\n_rialto\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf((await run("bash", ["--norc", "-c", line], { env, cwd: folder })).stdout);
  },
  zsh: async (script, words) => {
    const line = `compdef() { }
compset() { }
compadd() { shift; print -l -- "$@" }
_files() { print -l -- * }
${script}\nwords=(rialto ${listed(words)})\nCURRENT=${words.length + 1}\n_rialto`;
    const offered = linesOf((await run("zsh", ["-f", "-c", line], { env, cwd: folder })).stdout);
    const typed = words.at(-1)?.replace(/^--[^=]+=/, "") ?? "";
    return offered.filter((word) => word.startsWith(typed));
  },
  fish: async (script, words) => {
    const line = `${script}\ncomplete -C 'rialto ${words.join(" ")}'`;
    const { stdout } = await run("fish", ["--no-config", "-c", line], { env, cwd: folder });
    return linesOf(stdout).map((one) => one.replace(/\t.*/, ""));
  },
};

const markets = ["CC-USDC", "CBTC-USDC", "CETH-USDC", "BTC-PERP", "ETH-PERP", "CC-PERP"];

/** What is offered, by the words typed after `rialto`; the last one is being typed. */
const cases: ReadonlyArray<readonly [typed: string, offered: readonly string[]]> = [
  ["mark", ["markets"]],
  ["--json or", ["order", "orders"]],
  ["profile ", ["add", "list", "use", "remove"]],
  ["order ", ["buy", "sell"]],
  ["order b", ["buy"]],
  ["order buy ", markets],
  ["order --price 1 buy CC-", ["CC-USDC", "CC-PERP"]],
  ["order buy CC-USDC ", []],
  ["order buy CC-USDC 1 --pr", ["--price", "--profile"]],
  ["order buy CC-USDC 1 --price ", []],
  ["order buy CC-USDC 1 --tif ", ["GTC", "IOC", "FOK"]],
  ["completion ", ["bash", "zsh", "fish"]],
  ["profile use ", ["desk", "other"]],
  ["balance --profile o", ["other"]],
  ["markets halt ", markets],
  ["markets risk ", ["BTC-PERP", "ETH-PERP", "CC-PERP"]],
  ["markets risk BTC-PERP stale", ["stale-after"]],
  ["keys tier 7 ", ["standard", "ext-mm", "house"]],
  ["accounts show ", []],
  ["verify-proof a", ["a proof.json"]],
  ["balance ", ["--profile", "--json", "--help"]],
  ["start --accept", ["--accept-clock"]],
];

for (const [name, offeredBy] of Object.entries(shells)) {
  const isThere = ["/bin", "/usr/bin", "/usr/local/bin"].some((at) => existsSync(join(at, name)));
  test(`OPS-97 the completion of ${name} offers commands, options, and values where they belong`, {
    skip: isThere ? false : `the system has no ${name}`,
  }, async () => {
    const { code, printed } = await runCli(["completion", name], env);
    assert.equal(code, 0);
    for (const [typed, expected] of cases) {
      const offered = await offeredBy(printed, typed.split(" "));
      assert.deepEqual(offered.sort(), [...expected].sort(), `rialto ${typed}`);
    }
  });
}

test("OPS-97 fish and zsh offer the value after an equals sign, and bash, which splits it off", async (t) => {
  const wanted: Readonly<Record<string, readonly [words: string[], offered: string]>> = {
    bash: [["order", "buy", "CC-USDC", "1", "--tif", "=", "G"], "GTC"],
    zsh: [["order", "buy", "CC-USDC", "1", "--tif=G"], "GTC"],
    fish: [["order", "buy", "CC-USDC", "1", "--tif=G"], "--tif=GTC"],
  };
  for (const [name, [words, offered]] of Object.entries(wanted)) {
    if (!existsSync(`/usr/bin/${name}`)) t.diagnostic(`the system has no ${name}`);
    else {
      const { printed } = await runCli(["completion", name], env);
      assert.deepEqual(await shells[name]?.(printed, words), [offered], name);
    }
  }
});

test("OPS-97 a script for another shell is refused with the names of the three", async () => {
  const { code, complained } = await runCli(["completion", "tcsh"], env);
  assert.equal(code, 2);
  assert.match(complained, /Allowed choices are bash, zsh, fish/);
});
