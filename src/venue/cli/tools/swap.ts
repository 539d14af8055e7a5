// `rialto swap`: carries out one swap with a liquidity provider, from the wallet key to the verified proof.

import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Argument, Command, InvalidArgumentError } from "commander";
import { callControl, controlSocketPath } from "../../../adapters/runtime/control-socket.ts";
import type { LedgerReading, LedgerTransaction } from "../../../tools/trader/ledger-reading.ts";
import type { ProvenMove } from "../../../tools/trader/move-proofs.ts";
import type { ShownSwap, Signed, SwapRequest, SwapWalk } from "../../../tools/trader/swap-walk.ts";
import type { VenueSession } from "../../../tools/trader/venue-session.ts";
import { oneOf } from "../terminal/choices.ts";
import { ExitCode, say, show, showFailure, speaksJson } from "../terminal/output.ts";
import { paint } from "../terminal/paint.ts";
import { ProgressBar } from "../terminal/progress-bar.ts";
import { dataDirDefault, venueAddress } from "../venue-address.ts";

const lookMs = 250;
/** Longest wait: within this time, a venue that runs its own provider has funded, approved and health-checked it. */
const waitMsMax = 90_000;

interface Listed {
  readonly status: string;
  readonly health: string | null;
}

/**
 * Waits until the local venue reports an approved, healthy provider: a swap requested before that would end without a
 * quote and without a visible reason. Throws if no provider is approved and the venue does not run its own one, or if
 * none is healthy within `waitMsMax`. Does nothing if no venue runs on `dataDir`, as when the venue is remote.
 */
async function untilQuoting(dataDir: string, tell: (message: string) => void): Promise<void> {
  const path = controlSocketPath(dataDir);
  const request = async <T>(call: string) => {
    const answer = await callControl(path, call).catch(() => null);
    return answer?.isOk === true ? (answer.result as T) : null;
  };
  const status = await request<{ runs_provider?: boolean }>("status");
  if (status === null) return;
  const untilMs = performance.now() + waitMsMax;
  for (let looks = 0; ; looks++) {
    const listed = (await request<Listed[]>("providers/list")) ?? [];
    const approved = listed.filter((each) => each.status === "approved");
    if (approved.some(({ health }) => health === "ok")) return;
    if (approved.length === 0 && status.runs_provider !== true)
      throw new Error(
        "no liquidity provider quotes swaps here: start one with 'rialto provider --approve'",
      );
    if (performance.now() > untilMs)
      throw new Error("no liquidity provider answers: 'rialto providers list' shows their status");
    if (looks === 0) tell("Waiting for a liquidity provider");
    await sleep(lookMs);
  }
}

interface SwapOptions {
  readonly venue?: string;
  readonly dataDir: string;
  readonly key?: string;
  readonly quoteQty?: string;
  readonly quote: number;
  readonly limitPrice?: string;
  readonly faucet: boolean;
  readonly proof: boolean;
  readonly wait: number;
}

const examples = `
Examples:
  $ rialto swap CC-USDC BUY 100                     with a venue started by 'make run'
  $ rialto swap CC-USDC SELL 100 --limit-price 0.14
  $ rialto swap CC-USDC BUY --quote-qty 25 --json

The venue is the one running on --data-dir, otherwise the one at HOST and PORT. The command creates the key
file if it does not exist. On a development venue, the faucet funds the party. Before it signs, the command
shows the transaction and compares it with the accepted quote, and with the operator, issuers and contracts
known from the ledger (for a remote venue: those of the first swap, stored beside the key); it signs only if
they match. It reads the ledger only if the venue's development ledger is on this machine. The exit code is 3
if a proof fails. docs/guides/swap.md explains each step.
`;

export function swapCommand(): Command {
  return new Command("swap")
    .description("swap assets with a liquidity provider, and verify the proof of the swap")
    .argument("<pair>", "the spot market, such as CC-USDC")
    .addArgument(oneOf(new Argument("<side>", "BUY or SELL the base asset"), ["BUY", "SELL"]))
    .argument("[qty]", "the amount of the base asset", decimalOf)
    .option(
      "--quote-qty <n>",
      "instead: the most to pay, or the least to receive, of the quote asset",
      decimalOf,
    )
    .option("--venue <url>", "the venue's URL (default: the running venue's)")
    .option("--data-dir <path>", "the venue's DATA_DIR", dataDirDefault)
    .option("--key <file>", "the wallet's key (default: trader.pem in --data-dir)")
    .option("--quote <n>", "accept the n-th best quote", countOf, 1)
    .option("--limit-price <price>", "refuse quotes with a worse price", decimalOf)
    .option(
      "--no-faucet",
      "do not get test funds from the faucet; pay from the party's own holdings",
    )
    .option("--no-proof", "do not wait for the epoch that contains the swap")
    .option(
      "--wait <seconds>",
      "the longest wait for the epoch that contains the swap",
      countOf,
      180,
    )
    .addHelpText("after", examples)
    .action(run);
}

async function run(
  pair: string,
  side: "BUY" | "SELL",
  qty: string | undefined,
  options: SwapOptions,
): Promise<void> {
  const { dataDir, quoteQty, quote: position, limitPrice = null, faucet: usesFaucet } = options;
  if ((qty === undefined) === (quoteQty === undefined))
    throw new InvalidArgumentError("give either qty or --quote-qty");
  const amount = { qty: qty ?? null, quoteQty: quoteQty ?? null };
  const request: SwapRequest = { pair, side, ...amount, position, limitPrice, usesFaucet };
  const tell = speaksJson() ? () => undefined : say;
  const folder = resolve(dataDir);
  // Imported only here, because other commands do not need these modules.
  const [{ walletKeyIn }, { VenueSession: Session }, { SwapWalk: Walk }, known] = await Promise.all(
    [
      import("../../../tools/trader/wallet-key.ts"),
      import("../../../tools/trader/venue-session.ts"),
      import("../../../tools/trader/swap-walk.ts"),
      import("../../../tools/trader/known-networks.ts"),
    ],
  );
  const venue = await venueAddress(options.venue, folder);
  const keyFile = options.key ?? join(folder, "trader.pem");
  const wallet = await walletKeyIn(keyFile);
  const session = await Session.open(venue, wallet);
  tell(
    `${wallet.isNew ? "Created the key" : "Logged in with the key"} ${keyFile}: party ${session.party}`,
  );
  await untilQuoting(folder, tell);
  const ledger = await ledgerOf(folder, session.party);
  // The local ledger knows the operator and issuers of its own venue only.
  const isOwn = ledger !== null && venue === (await venueAddress(undefined, folder));
  const networks = isOwn ? null : new known.KnownNetworks(keyFile, venue);
  const walk = new Walk({ session, wallet, ledger, networks, say: tell });
  try {
    await swapAndShow(walk, { request, session, ledger, options });
  } catch (error) {
    if (walk.seen === null) throw error;
    showFailure(error, { swap: walk.seen });
    process.exitCode = ExitCode.failed;
  }
}

async function swapAndShow(
  walk: SwapWalk,
  { request, ...context }: ProofContext & { readonly request: SwapRequest },
): Promise<void> {
  const { ledger, options } = context;
  const { swap, signed } = await walk.run(request);
  const transaction = (await ledger?.transaction(swap.update_id ?? "")) ?? null;
  if (!speaksJson()) sayTransaction(swap, transaction);
  const proven = options.proof ? await prove(swap, context) : [];
  if (speaksJson()) show(shown({ swap, signed, transaction, proven }));
  else if (options.proof) sayProofs(proven);
  if (!proven.every(isHeld)) process.exitCode = ExitCode.differs;
}

/** Opens the ledger of the venue in `folder` for reading as `party`; null if no ledger runs there. */
async function ledgerOf(folder: string, party: string): Promise<LedgerReading | null> {
  const { LedgerReading: Reading } = await import("../../../tools/trader/ledger-reading.ts");
  return Reading.open(join(folder, "ledger"), party).catch(() => null);
}

interface ProofContext {
  readonly session: VenueSession;
  readonly ledger: LedgerReading | null;
  readonly options: SwapOptions;
}

async function prove({ moves }: ShownSwap, context: ProofContext): Promise<ProvenMove[]> {
  const { session, ledger, options } = context;
  const { provenMoves } = await import("../../../tools/trader/move-proofs.ts");
  if (!speaksJson()) say("Waiting for the epoch that contains the swap");
  const bar = new ProgressBar("seconds waited");
  const waitMs = options.wait * 1000;
  const onWait = (waitedMs: number) => bar.show(Math.round(waitedMs / 1000), 0);
  const proven = await provenMoves(moves, { session, ledger, waitMs, onWait });
  bar.end();
  return proven;
}

function sayTransaction({ update_id: id }: ShownSwap, found: LedgerTransaction | null): void {
  if (found === null) {
    say(
      `Ledger transaction ${id}: this command reads no ledger here; query it on your own participant`,
    );
    return;
  }
  say(`Ledger transaction ${id} at offset ${found.offset}, ${found.record_time}`);
  for (const { leg_id: leg, amount, asset, sender, receiver } of found.legs)
    say(`  ${leg.padEnd(6)} ${amount} ${asset}  ${short(sender)} → ${short(receiver)}`);
  for (const { amount, asset } of found.received) say(`  received a holding of ${amount} ${asset}`);
}

function short(party: string): string {
  return party.slice(0, party.indexOf("::") + 14);
}

function isHeld({ verdict, difference }: ProvenMove): boolean {
  return verdict.isValid && difference === null;
}

function sayProofs(proven: readonly ProvenMove[]): void {
  for (const one of proven) {
    const { move, proof, verdict, difference } = one;
    const { epoch } = proof.epoch;
    const mark = paint(
      isHeld(one) ? "green" : "red",
      isHeld(one) ? "ok    " : "FAILED",
      process.stdout,
    );
    const position = `leaf ${proof.leaf_index} of ${proof.tree_size} in epoch ${epoch}`;
    say(`  ${mark} ${`${move.from} → ${move.to}`.padEnd(32)} entry ${move.seq}, ${position}`);
    const failed = verdict.steps.find(({ isOk }) => !isOk);
    if (failed !== undefined) say(`         ${failed.message}`);
    if (difference !== null) say(`         ${difference}`);
  }
  for (const { epoch, anchor, isRootFromLedger } of epochsOf(proven)) {
    const isOn = anchor.status === "confirmed";
    const where = isOn
      ? `on the ledger in update ${anchor.update_id}`
      : `not yet on the ledger (${anchor.status})`;
    const whose = isRootFromLedger ? "compared with the ledger" : "as reported by the venue";
    say(`Epoch ${epoch.epoch}: root ${epoch.root}, ${where}; ${whose}`);
  }
  const held = proven.filter(isHeld).length;
  say(`${held} of ${proven.length} steps of the swap verified against the journal`);
}

/** Returns the epochs of the proofs, without duplicates. */
function epochsOf(proven: readonly ProvenMove[]) {
  const byNumber = new Map(
    proven.map(({ proof, isRootFromLedger }) => [
      proof.epoch.epoch,
      { epoch: proof.epoch, anchor: proof.anchor, isRootFromLedger },
    ]),
  );
  return [...byNumber.values()];
}

interface Receipt {
  readonly swap: ShownSwap;
  readonly signed: Signed;
  readonly transaction: LedgerTransaction | null;
  readonly proven: readonly ProvenMove[];
}

function shown({ swap, signed, transaction, proven }: Receipt): object {
  const proofs = proven.map((one) => ({
    ...{ move_no: one.move.move_no, seq: one.move.seq, holds: isHeld(one) },
    ...{ difference: one.difference, root_from_ledger: one.isRootFromLedger },
    ...{ steps: one.verdict.steps.map(({ message }) => message), proof: one.proof },
  }));
  return { swap, signed, ledger: transaction, proofs };
}

function decimalOf(text: string): string {
  if (!/^\d{1,18}(\.\d{1,10})?$/.test(text))
    throw new InvalidArgumentError("expected a decimal such as 100 or 0.15");
  return text;
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new InvalidArgumentError("expected an integer from 1 to 99999");
  return Number(text);
}
