// `rialto provider`: a reference provider of liquidity, against a venue on this machine or elsewhere.

import { join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { callControl, controlSocketPath } from "../../../adapters/runtime/control-socket.ts";
import { createLog } from "../../../adapters/telemetry/log.ts";
import type { OpenWallet } from "../../../tools/provider/open-wallet.ts";
import { ExitCode, say, show, speaksJson } from "../terminal/output.ts";
import { venueAddress } from "../venue-address.ts";

interface ProviderOptions {
  readonly venue?: string;
  readonly dataDir: string;
  readonly folder?: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly url?: string;
  readonly pairs: readonly string[];
  readonly spreadBps: number;
  readonly maxNotional: number;
  readonly validSeconds: number;
  readonly approve?: true;
  readonly ledgerUrl?: string;
  readonly ledgerUser: string;
  readonly party?: string;
  readonly operator?: string;
}

const examples = `
Examples:
  $ rialto provider --approve                      beside a venue started by 'rialto start'
  $ rialto provider --name maker-2 --port 9102 --spread-bps 50

The venue is the one that runs on --data-dir, else the one of HOST and PORT. Each provider has a folder of
its own, with its key and the swaps it committed to: keep it. Beside a development venue its wallet is on the
venue's own ledger, with coins from the faucet. Anywhere else --ledger-url, --party and --operator say where
its wallet is; the token comes from LEDGER_TOKEN.
docs/guides/be-a-liquidity-provider.md tells what a provider does.
`;

export function providerCommand(): Command {
  return new Command("provider")
    .description("quote swaps as a small honest provider of liquidity")
    .option("--venue <url>", "where the venue answers (default: as the running one says)")
    .option("--data-dir <path>", "the venue's DATA_DIR", process.env["DATA_DIR"] ?? "./data")
    .option("--folder <path>", "what the provider keeps (default: ./provider/<name>)")
    .option("--name <name>", "its name, also of its party", nameOf, "maker")
    .option("--host <address>", "where it listens", "127.0.0.1")
    .option("--port <n>", "0: as before, at first any", integer(0, 65_535), 9100)
    .option("--url <url>", "where the venue reaches it (default: host and port)")
    .option("--pairs <list>", "markets it quotes", listOf, ["CC-USDC", "CBTC-USDC", "CETH-USDC"])
    .option("--spread-bps <n>", "worse than the book by so much", integer(0, 5_000), 20)
    .option("--max-notional <n>", "of one swap, in the quote asset", integer(1, 10 ** 9), 100_000)
    .option("--valid-seconds <n>", "how long a quote holds", integer(3, 30), 30)
    .option("--approve", "also approve it, at the control socket of the venue in --data-dir")
    .option("--ledger-url <url>", "a participant of its own")
    .option("--ledger-user <id>", "its user there", "provider")
    .option("--party <id>", "its party there")
    .option("--operator <id>", "the venue's operator party there")
    .addHelpText("after", examples)
    .action(run);
}

async function run(options: ProviderOptions): Promise<void> {
  // Only here: other commands do not need what it brings.
  const { ReferenceProvider } = await import("../../../tools/provider/reference-provider.ts");
  const { name, host, port, pairs, spreadBps, maxNotional, validSeconds, dataDir } = options;
  const provider = await ReferenceProvider.open(
    {
      ...{ name, host, port, pairs, spreadBps },
      venue: await venueAddress(options.venue, dataDir),
      folder: resolve(options.folder ?? join("provider", name)),
      url: options.url ?? null,
      notionalMax: maxNotional,
      validMs: validSeconds * 1000,
      log: createLog(process.env["LOG_LEVEL"] ?? "info", "provider"),
    },
    await walletOf(options),
  ).catch((error: unknown) => {
    throw listenFault(error, options) ?? error;
  });
  const end = () => void provider.close().then(() => process.exit(ExitCode.done));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, end);
  // Started by a venue: it ends with it, however that ends.
  process.once("disconnect", end);
  const { provider_id: id, status } = await provider.register();
  if (speaksJson()) {
    show({ provider_id: id, url: provider.url, party: provider.party, status });
    if (status === "pending" && options.approve === true) await approve(dataDir, id);
    return;
  }
  say(`Provider ${id} answers at ${provider.url} as ${provider.party}`);
  if (status !== "pending") say(`The venue has it as ${status}.`);
  else if (options.approve === true) await approve(dataDir, id);
  else say(`It waits for the operator:\n  $ rialto providers approve ${id}`);
}

function listenFault(error: unknown, { host, port }: ProviderOptions): Error | null {
  const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  return isTaken ? new Error(`another program listens on ${host}:${port}: give a --port`) : null;
}

async function approve(dataDir: string, provider: string): Promise<void> {
  const path = controlSocketPath(resolve(dataDir));
  const { isOk, error } = await callControl(path, "providers/approve", { provider });
  if (!isOk) throw new Error(error);
  if (!speaksJson())
    say("Approved. The venue asks it for quotes once its first health check was answered.");
}

async function walletOf(options: ProviderOptions): Promise<OpenWallet> {
  const { openDevnetWallet, openParticipant } = await import(
    "../../../tools/provider/open-wallet.ts"
  );
  const { ledgerUrl: url, party, operator, ledgerUser: userId, name } = options;
  if (url === undefined) return openDevnetWallet(resolve(options.dataDir, "ledger"), name);
  const token = process.env["LEDGER_TOKEN"];
  if (party === undefined || operator === undefined || token === undefined)
    throw new Error("--ledger-url needs --party, --operator and LEDGER_TOKEN");
  return openParticipant({ url, token, userId, party, operator });
}

function nameOf(text: string): string {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(text))
    throw new InvalidArgumentError("expected 1 to 32 letters, digits, _ or -");
  return text;
}

function listOf(text: string): string[] {
  return text.split(",").map((part) => part.trim());
}

function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < min || value > max)
      throw new InvalidArgumentError(`expected an integer from ${min} to ${max}`);
    return value;
  };
}
