// `rialto provider`: runs a reference liquidity provider for a local or remote venue.

import { join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { callControl, controlSocketPath } from "../../../adapters/runtime/control-socket.ts";
import { createLog } from "../../../adapters/telemetry/log.ts";
import type { OpenWallet } from "../../../tools/provider/open-wallet.ts";
import { ExitCode, say, show, speaksJson } from "../terminal/output.ts";
import { dataDirDefault, venueAddress } from "../venue-address.ts";
import { integer } from "./arguments.ts";

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
  $ rialto provider --approve                      for a venue started by 'rialto start'
  $ rialto provider --name maker-2 --port 9102 --spread-bps 50

The venue is the one running on --data-dir, otherwise the one at HOST and PORT. Each provider has its own
folder with its key and its committed swaps: back it up. With a development venue, its wallet is on the
venue's ledger and gets test funds from the faucet. Otherwise pass --ledger-url, --party and --operator for
its wallet, and the token in LEDGER_TOKEN.
docs/guides/be-a-liquidity-provider.md describes what a provider does.
`;

export function providerCommand(): Command {
  return new Command("provider")
    .description("run a reference liquidity provider that quotes swaps")
    .option("--venue <url>", "the venue's URL (default: the running venue's)")
    .option("--data-dir <path>", "the venue's DATA_DIR", dataDirDefault)
    .option("--folder <path>", "the provider's data folder (default: ./provider/<name>)")
    .option("--name <name>", "the name of the provider and its party", nameOf, "maker")
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option(
      "--port <n>",
      "the port to listen on; 0 reuses the last one, or picks a free one",
      integer(0, 65_535),
      9100,
    )
    .option(
      "--url <url>",
      "the URL by which the venue reaches the provider (default: from --host and --port)",
    )
    .option("--pairs <list>", "the markets to quote, separated by commas", listOf, [
      "CC-USDC",
      "CBTC-USDC",
      "CETH-USDC",
    ])
    .option("--spread-bps <n>", "the spread added to the order book's price", integer(0, 5_000), 20)
    .option(
      "--max-notional <n>",
      "the largest swap, in the quote asset",
      integer(1, 10 ** 9),
      100_000,
    )
    .option("--valid-seconds <n>", "how long a quote stays valid", integer(3, 30), 30)
    .option("--approve", "also approve the provider, through the control socket in --data-dir")
    .option("--ledger-url <url>", "the URL of the provider's own ledger participant")
    .option("--ledger-user <id>", "the provider's user on its participant", "provider")
    .option("--party <id>", "the provider's party on its participant")
    .option("--operator <id>", "the venue's operator party on the ledger")
    .addHelpText("after", examples)
    .action(run);
}

async function run(options: ProviderOptions): Promise<void> {
  // Imported only here, because other commands do not need it.
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
  // A provider started by a venue ends with the venue, even if the venue is killed.
  process.once("disconnect", end);
  const { provider_id: id, status } = await provider.register();
  if (speaksJson()) {
    show({ provider_id: id, url: provider.url, party: provider.party, status });
    if (status === "pending" && options.approve === true) await approve(dataDir, id);
    return;
  }
  say(`Provider ${id} answers at ${provider.url} as ${provider.party}`);
  if (status !== "pending") say(`Status at the venue: ${status}.`);
  else if (options.approve === true) await approve(dataDir, id);
  else say(`The operator must approve it:\n  $ rialto providers approve ${id}`);
}

function listenFault(error: unknown, { host, port }: ProviderOptions): Error | null {
  const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  return isTaken
    ? new Error(`another program is listening on ${host}:${port}: choose another --port`)
    : null;
}

async function approve(dataDir: string, provider: string): Promise<void> {
  const path = controlSocketPath(resolve(dataDir));
  const { isOk, error } = await callControl(path, "providers/approve", { provider });
  if (!isOk) throw new Error(error);
  if (!speaksJson())
    say("Approved. The venue requests quotes from it after its first successful health check.");
}

async function walletOf(options: ProviderOptions): Promise<OpenWallet> {
  const { openDevnetWallet, openParticipant } = await import(
    "../../../tools/provider/open-wallet.ts"
  );
  const { ledgerUrl: url, party, operator, ledgerUser: userId, name } = options;
  if (url === undefined) return openDevnetWallet(resolve(options.dataDir, "ledger"), name);
  const token = process.env["LEDGER_TOKEN"];
  if (party === undefined || operator === undefined || token === undefined)
    throw new InvalidArgumentError("--ledger-url needs --party, --operator and LEDGER_TOKEN");
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
