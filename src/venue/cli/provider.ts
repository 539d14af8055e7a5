// `rialto provider`: a reference provider of liquidity, against a venue on this machine or elsewhere.

import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { createLog } from "../../adapters/telemetry/log.ts";
import { askControl, controlSocketPath } from "../control-socket.ts";
import type { OpenWallet } from "../provider/wallet-place.ts";
import { ExitCode, say, show, speaksJson } from "./output.ts";

interface ProviderOptions {
  readonly venue: string;
  readonly dataDir: string;
  readonly folder: string;
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

Beside a development venue its wallet is on the venue's own ledger, with coins from the faucet. Anywhere
else --ledger-url, --party and --operator say where its wallet is; the token comes from LEDGER_TOKEN.
docs/guides/be-a-liquidity-provider.md tells what a provider does.
`;

export function providerCommand(): Command {
  return new Command("provider")
    .description("quote swaps as a small honest provider of liquidity")
    .option("--venue <url>", "where the venue answers", "http://127.0.0.1:8080")
    .option("--data-dir <path>", "the venue's DATA_DIR", process.env["DATA_DIR"] ?? "./data")
    .option("--folder <path>", "what the provider keeps", "./provider")
    .option("--name <name>", "its name, also of its party", nameOf, "maker")
    .option("--host <address>", "where it listens", "127.0.0.1")
    .option("--port <n>", "0 lets the system choose", integer(0, 65_535), 9100)
    .option("--url <url>", "where the venue reaches it (default: host and port)")
    .option("--pairs <list>", "markets it quotes", listOf, ["CC-USDC", "CBTC-USDC", "CETH-USDC"])
    .option("--spread-bps <n>", "worse than the book by so much", integer(0, 5_000), 20)
    .option("--max-notional <n>", "of one swap, in the quote asset", integer(1, 10 ** 9), 100_000)
    .option("--valid-seconds <n>", "how long a quote holds", integer(3, 30), 10)
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
  const { ReferenceProvider } = await import("../provider/reference-provider.ts");
  const opened = await walletOf(options);
  const { venue, name, host, port, pairs, spreadBps, maxNotional, validSeconds } = options;
  const provider = await ReferenceProvider.open(
    {
      ...{ venue: venue.replace(/\/+$/, ""), name, host, port, pairs, spreadBps },
      folder: resolve(options.folder),
      url: options.url ?? null,
      notionalMax: maxNotional,
      validMs: validSeconds * 1000,
      log: createLog(process.env["LOG_LEVEL"] ?? "info", "provider"),
    },
    opened,
  );
  process.once("SIGINT", () => void provider.close().then(() => process.exit(ExitCode.done)));
  process.once("SIGTERM", () => void provider.close().then(() => process.exit(ExitCode.done)));
  const { provider_id: id, status } = await provider.register();
  if (speaksJson()) {
    show({ provider_id: id, url: provider.url, party: provider.party, status });
    if (status === "pending" && options.approve === true) await approve(options.dataDir, id);
    return;
  }
  say(`Provider ${id} answers at ${provider.url} as ${provider.party}`);
  if (status !== "pending") say(`The venue has it as ${status}.`);
  else if (options.approve === true) await approve(options.dataDir, id);
  else say(`It waits for the operator:\n  $ rialto providers approve ${id}`);
}

async function approve(dataDir: string, provider: string): Promise<void> {
  const path = controlSocketPath(resolve(dataDir));
  const { isOk, error } = await askControl(path, "providers/approve", { provider });
  if (!isOk) throw new Error(error);
  if (!speaksJson())
    say("Approved. The venue asks it for quotes once its first health check was answered.");
}

async function walletOf(options: ProviderOptions): Promise<OpenWallet> {
  const { openDevnetWallet, openParticipant } = await import("../provider/wallet-place.ts");
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
