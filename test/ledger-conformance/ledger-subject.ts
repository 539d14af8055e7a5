// A ledger network as the conformance cases use it: the venue's port to it, the actions that only a development ledger
// allows, and the steps with which most cases begin.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseLedgerAmount } from "../../src/core/money/ledger-amount.ts";
import type {
  BatchCommand,
  ChangeKey,
  Holding,
  Instrument,
  LedgerNetwork,
  Leg,
  MemberOperation,
  Outcome,
  Party,
} from "../../src/ports/ledger/ledger.ts";

/** A wallet that has authorised the venue to settle: its party and its MemberAuth contract. */
export interface Member {
  readonly party: Party;
  readonly authCid: string;
}

/** Actions that only a development ledger's admin API offers: create coins, and act for an owner without the venue. */
export interface LedgerControl {
  host(party: Party): Promise<void>;
  tap(party: Party, instrument: string, amount: string): Promise<void>;
  spend(from: Party, to: Party, instrument: string, amount: string): Promise<void>;
  preapproval(party: Party, method: "POST" | "DELETE"): Promise<void>;
}

const patienceMs = 120_000;
const lookMs = 5;
export const dayMs = 86_400_000;

export abstract class LedgerSubject {
  abstract readonly network: LedgerNetwork;
  /** Admin control of a development ledger; null on any other network. */
  abstract readonly control: LedgerControl | null;
  abstract instruments(): Promise<Map<string, Instrument>>;
  abstract close(): Promise<void>;

  async change(name: string, actAs: readonly Party[]): Promise<ChangeKey> {
    const dedupOffset = await this.network.ledgerEnd();
    return { commandId: `${name}:${randomUUID()}`, actAs, dedupOffset, submissionId: randomUUID() };
  }

  /** Creates a new party with the given coins. */
  async wallet(coins: Readonly<Record<string, string>> = {}): Promise<Party> {
    const { control } = this;
    if (control === null) throw new Error("this network has no faucet");
    const hex = randomUUID().replaceAll("-", "");
    const party = `member-${hex.slice(0, 8)}::1220${hex}${hex}`;
    await control.host(party);
    for (const [instrument, amount] of Object.entries(coins))
      await control.tap(party, instrument, amount);
    return party;
  }

  /** Creates a party with the given coins and enrolls it, so that it has a MemberAuth contract. */
  async member(coins: Readonly<Record<string, string>>, limit = 1_000_000): Promise<Member> {
    const party = await this.wallet(coins);
    const units = BigInt(limit) * 10n ** 10n;
    const instruments = await this.instruments();
    const { operator } = this.network;
    const outcome = await this.network.propose({
      ...(await this.change("enroll", [operator])),
      member: party,
      instruments: [...instruments.values()],
      perBatchLimit: { USDC: units, CC: units, CBTC: units, CETH: units },
      expiresAtMs: Date.now() + dayMs,
    });
    if (outcome.kind !== "committed") throw new Error(JSON.stringify(outcome));
    return { party, authCid: await this.authOf(party) };
  }

  /** Returns the contract id of the member's current MemberAuth; waits until the member's wallet has accepted. */
  async authOf(party: Party): Promise<string> {
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      const end = await this.network.ledgerEnd();
      const found = await this.network.contracts(party, this.network.templates.memberAuth, end);
      const own = found.find(({ payload }) => payload["member"] === party);
      if (own !== undefined) return own.contractId;
      await sleep(lookMs);
    }
    throw new Error(`${party} has no MemberAuth`);
  }

  async coins(party: Party, id: string): Promise<Holding[]> {
    const all = await this.network.holdings(party, await this.network.ledgerEnd());
    return all.filter(({ instrument, isLocked }) => instrument.id === id && !isLocked);
  }

  async balance(party: Party, id: string): Promise<bigint> {
    const all = await this.network.holdings(party, await this.network.ledgerEnd());
    const own = all.filter(({ instrument }) => instrument.id === id);
    return own.reduce((sum, { amount }) => sum + amount, 0n);
  }

  /** Builds the leg of a payment with all unlocked coins of the sender as inputs. */
  async leg(sender: Party, receiver: Party, id: string, amount: string): Promise<Leg> {
    const coins = await this.coins(sender, id);
    const instrument = coins[0]?.instrument ?? (await this.instruments()).get(id);
    if (instrument === undefined) throw new Error(`no instrument ${id}`);
    return {
      legId: randomUUID(),
      sender,
      receiver,
      instrument,
      amount: parseLedgerAmount(amount) ?? 0n,
      inputs: coins.map(({ contractId }) => contractId),
    };
  }

  async batch(
    members: readonly MemberOperation[],
    legs: readonly Leg[],
    phase = "direct",
  ): Promise<BatchCommand> {
    const { operator, custody } = this.network;
    const batchId = randomUUID();
    const actAs = members.length === 1 ? [operator, custody] : [operator];
    const change = await this.change(`stl:${batchId}:1:${phase}`, actAs);
    const now = Date.now();
    return {
      ...change,
      batchId,
      members,
      legs,
      requestedAtMs: now - 1_000,
      executeBeforeMs: now + 600_000,
    };
  }

  operation({ party, authCid }: Member, opNo: number): MemberOperation {
    return { member: party, authCid, opNo };
  }
}

/** Formats an outcome for comparison: its kind, and for a refusal the required action and the code. */
export function worded(outcome: Outcome): string {
  if (outcome.kind === "committed") return "committed";
  if (outcome.kind === "unknown") return `unknown ${outcome.cause}`;
  return `rejected ${outcome.action} ${outcome.code}`;
}
