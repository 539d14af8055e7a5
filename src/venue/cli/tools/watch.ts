// `rialto watch`: follows a venue from outside, tells what changes, and ends if the venue is caught in a contradiction.

import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import { printable } from "../../../services/epochs/proof-verifier.ts";
import {
  changesIn,
  exitCodeOf,
  type Finding,
  type ToldStates,
  toldAfter,
} from "../../../tools/watch/finding.ts";
import { HeadFolder } from "../../../tools/watch/head-folder.ts";
import { HeadServer } from "../../../tools/watch/head-server.ts";
import { Watcher } from "../../../tools/watch/watcher.ts";
import { Webhook } from "../../../tools/watch/webhook.ts";
import { complain, say, show, speaksJson } from "../terminal/output.ts";
import { paint } from "../terminal/paint.ts";
import { integer } from "./arguments.ts";

interface WatchOptions {
  readonly state?: string;
  readonly interval: number;
  readonly once?: boolean;
  readonly key?: string;
  readonly root: ReadonlyMap<string, string>;
  readonly peer: readonly string[];
  readonly listen?: ListenAddress;
  readonly webhook?: URL;
  readonly staleEpochs: number;
  readonly staleSeconds: number;
}

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Each peer is read in each round. */
const peersMax = 32;
const rootsMax = 32;
const hourS = 3_600;
const daysS = 30 * 86_400;

const examples = `
Examples:
  $ rialto watch https://venue.example                              follow it until Ctrl-C
  $ rialto watch https://venue.example --once                       look once; the exit code says what was found
  $ rialto watch https://venue.example --listen 0.0.0.0:9300 --peer http://friend.example:9300
  $ rialto watch https://venue.example --webhook https://hooks.example/venue

Checks each epoch's header and link, the head that the venue signs, its statement of liabilities, and compares
the signed heads with those of other watchers. The folder of --state keeps the heads (heads.jsonl, which can
be published) and, if the venue contradicts itself, the evidence. The first round reads the whole chain.

Exit codes: 0 all is well, or ended by Ctrl-C; 1 failed; 2 usage error; 3 the chain, a head or a statement is wrong,
or two heads of one epoch were signed; and with --once 4 the venue states a deficit, 5 it does not answer, or its
epochs or statements do not advance.
`;

export function watchCommand(): Command {
  return new Command("watch")
    .description(
      "follow a venue from outside: its chain, signed heads, liabilities, and other watchers",
    )
    .argument("<url>", "the venue's URL", venueUrl)
    .option("--state <path>", "folder of heads and evidence (default: watch- and the venue's host)")
    .option("--interval <seconds>", "time between two rounds", integer(1, hourS), 30)
    .option("--once", "look once and end")
    .option(
      "--key <base64>",
      "the venue's key (default: that of the first head that is seen)",
      keyText,
    )
    .option(
      "--root <epoch:hex>",
      "an epoch's root as reported by a ledger node you trust; repeatable",
      roots,
      new Map(),
    )
    .option(
      "--peer <url or file>",
      "another watcher, or a file of its heads; repeatable",
      peers,
      [],
    )
    .option(
      "--listen <[host:]port>",
      "serve the heads to other watchers (default host: 127.0.0.1)",
      listenAddress,
    )
    .option("--webhook <url>", "POST each change as JSON to this address", anyUrl)
    .option(
      "--stale-epochs <n>",
      "epochs that may be missing before the venue is silent",
      integer(1, 1_000),
      5,
    )
    .option(
      "--stale-seconds <n>",
      "age of a statement or a commitment before the venue is silent",
      integer(1, daysS),
      hourS,
    )
    .addHelpText("after", examples)
    .action(watch);
}

async function watch(venue: URL, options: WatchOptions): Promise<void> {
  const folder = await HeadFolder.open(options.state ?? `watch-${venue.host.replaceAll(":", "-")}`);
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => ending.abort());
  const { listen } = options;
  const server = listen === undefined ? null : await HeadServer.open(listen.host, listen.port);
  if (server !== null && !speaksJson()) say(`heads are served at port ${server.port}`);
  const { peer: peers, root: roots, key = null, staleEpochs } = options;
  const staleMs = options.staleSeconds * 1000;
  const nowMs = () => Date.now();
  const watcher = new Watcher({ venue, folder, peers, key, roots, staleEpochs, staleMs, nowMs });
  const webhook = options.webhook === undefined ? null : new Webhook(options.webhook, venue.origin);
  try {
    await rounds({ watcher, folder, server, webhook }, options, ending.signal);
  } finally {
    await server?.close();
  }
}

interface WatchParts {
  readonly watcher: Watcher;
  readonly folder: HeadFolder;
  readonly server: HeadServer | null;
  readonly webhook: Webhook | null;
}

async function rounds(
  { watcher, folder, server, webhook }: WatchParts,
  { once = false, interval }: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  server?.publish(folder.heads);
  let shown: ToldStates | null = null;
  while (!signal.aborted) {
    const findings = await watcher.round(signal);
    if (signal.aborted) return;
    server?.publish(folder.heads);
    // The first round says what is watched, and the others what is new.
    tell(shown === null ? findings : changesIn(findings, shown), once);
    shown = toldAfter(findings, shown ?? {});
    const { told } = folder.memory;
    const at = new Date().toISOString();
    const changes = changesIn(findings, told).map((change) => ({ ...change, at }));
    const fault = (await webhook?.tell(changes, signal)) ?? null;
    // What the webhook did not take is told to it in the next round, or by the next run.
    if (fault === null) await folder.remember({ told: toldAfter(findings, told) });
    else complain(printable(`the webhook was not told: ${fault}`));
    if (once || findings.some(({ state }) => state === "broken")) {
      process.exitCode = exitCodeOf(findings);
      return;
    }
    await sleep(interval * 1000, undefined, { signal }).catch(() => undefined);
  }
}

/** Prints findings: with --json as one document, or, of a watch that goes on, as one line each. */
function tell(findings: readonly Finding[], isOnce: boolean): void {
  const shown = findings.map((finding) => ({ ...finding, message: printable(finding.message) }));
  if (speaksJson() && isOnce) show(shown);
  else if (speaksJson()) for (const finding of shown) say(JSON.stringify(finding));
  else
    for (const { subject, state, message } of shown) {
      const color = state === "ok" ? "green" : state === "unknown" ? "yellow" : "red";
      say(`${paint(color, state.padEnd(8), process.stdout)} ${subject}: ${message}`);
    }
}

function anyUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError("expected an http or https URL");
  if (url.username !== "" || url.password !== "")
    throw new InvalidArgumentError("expected a URL without user and password");
  return url;
}

function venueUrl(text: string): URL {
  const url = anyUrl(text);
  if (url.pathname !== "/" || url.search !== "")
    throw new InvalidArgumentError("expected the venue's address without a path");
  return url;
}

function keyText(text: string): string {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text))
    throw new InvalidArgumentError("expected an Ed25519 public key as base64, 44 characters");
  return text;
}

function roots(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const [, epoch, root] = /^([1-9]\d{0,15}):([0-9a-f]{64})$/i.exec(text) ?? [];
  if (epoch === undefined || root === undefined)
    throw new InvalidArgumentError("expected an epoch and its root in 64 hexadecimal digits");
  if (before.size === rootsMax) throw new InvalidArgumentError(`at most ${rootsMax} roots`);
  return new Map([...before, [epoch, root.toLowerCase()]]);
}

function peers(text: string, before: readonly string[]): readonly string[] {
  if (before.length === peersMax) throw new InvalidArgumentError(`at most ${peersMax} peers`);
  if (/^https?:/.test(text)) anyUrl(text);
  return [...before, text];
}

function listenAddress(text: string): ListenAddress {
  const [, host = "127.0.0.1", port = ""] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === "" || Number(port) > 65_535)
    throw new InvalidArgumentError("expected a port, or a host and a port");
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}
