// Keeps the spot wallets of members equal to what their parties brought to the ledger: enrolls parties,
// follows the ledger's updates, credits what came, and freezes a member whose party took away what the
// venue counts on, until it is back. What settled batches moved is the venue's own doing and counts on
// neither side.
//
// A credit is made once: it is written down first, and one whose answer was lost is looked for in the
// journal before anything else is credited.

import type {
  ContractId,
  Holding,
  Instrument,
  LedgerNetwork,
  LedgerUpdate,
  Party,
  SeenAllocation,
} from "../../ports/ledger.ts";
import type { Log } from "../../ports/log.ts";
import type {
  Coin,
  CreditRow,
  LockedLeg,
  Member,
  SettlementStore,
} from "../../ports/settlement-store.ts";
import { batchSettledBy } from "./batch-phases.ts";
import { paymentMadeBy } from "./custody-changes.ts";

/** What the mirror may ask of the venue; each answer means it is durable. */
export interface MirrorDesk {
  committedSeq(): number;
  /** False where clearing refused it. */
  credit(account: number, asset: number, amount: bigint): Promise<boolean>;
  /** Whether the journal behind `seqBefore` has this credit. */
  wasCredited(credit: CreditRow): Promise<boolean>;
  setStanding(account: number, standing: { isEnrolled: boolean; isFrozen: boolean }): Promise<void>;
  cancelSpotOrders(account: number): Promise<void>;
}

export interface MirrorParts {
  readonly store: SettlementStore;
  readonly network: LedgerNetwork;
  readonly desk: MirrorDesk;
  readonly instruments: ReadonlyMap<number, Instrument>;
  /** Makes the network keep a wallet for a party; nothing where parties keep their own. */
  readonly hostWallet: (party: Party) => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

/** Most that one batch may take of each asset: whatever a member has. */
const perBatchLimit = 10n ** 27n;
const proposalMs = 7 * 86_400_000;
const pagesMax = 100;
/** Members that are looked at each beat while they have not accepted. */
const pendingPerBeat = 16;
/** An invitation is some 2,800 bytes: with these, at most a third of what the network gives free. */
const bindingsAtOnce = 16;
const bindingEveryMs = 30_000;

export class WalletMirror {
  readonly #parts: MirrorParts;
  readonly #proposed = new Set<Party>();
  /** Where the next beat goes on among the pending. */
  #turn = 0;
  /** Self-enrolled accounts that may be bound now, and since when that is counted. */
  #bindings = bindingsAtOnce;
  #bindingsMs = 0;

  constructor(parts: MirrorParts) {
    this.#parts = parts;
  }

  /** Binds an account to a party; its coins so far are counted from here on. */
  async add(account: number, party: Party): Promise<void> {
    const { store, network, hostWallet } = this.#parts;
    await hostWallet(party);
    await this.follow();
    const { ledgerOffset } = await store.cursor();
    const coins = await network.holdings(party, ledgerOffset);
    await store.addMember(
      account,
      party,
      coins.flatMap((coin) => this.#coin(coin)),
    );
  }

  /** Proposes MemberAuth to members without one, opens trading to who accepted, ends it to who revoked. */
  async enroll(isPendingOnly: boolean): Promise<void> {
    const { store, network, desk } = this.#parts;
    await this.#bind();
    const members = await store.members();
    const settled = isPendingOnly ? [] : members.filter(({ authCid }) => authCid !== null);
    for (const member of [...settled, ...this.#somePending(members)]) {
      const { account, party } = member;
      const at = await network.ledgerEnd();
      const found = await network.contracts(party, network.templates.memberAuth, at);
      const own = found.find(({ payload }) => payload["member"] === party);
      if (own !== undefined && member.authCid === null) {
        await desk.setStanding(account, { isEnrolled: true, isFrozen: member.isFrozen });
        await store.setAuth(account, own.contractId);
      }
      if (own === undefined && member.authCid !== null) {
        await desk.setStanding(account, { isEnrolled: false, isFrozen: member.isFrozen });
        await desk.cancelSpotOrders(account);
        await store.setAuth(account, null);
      }
      if (own === undefined) await this.#propose(member, at);
    }
  }

  /** A few of those who have not accepted yet, in turn: many of them must not make a beat long. */
  #somePending(members: readonly Member[]): Member[] {
    const pending = members.filter(({ authCid }) => authCid === null);
    const from = pending.length > pendingPerBeat ? this.#turn % pending.length : 0;
    this.#turn = from + pendingPerBeat;
    return [...pending.slice(from), ...pending.slice(0, from)].slice(0, pendingPerBeat);
  }

  /**
   * Binds accounts that enrolled themselves to the parties of their keys, so many at once and then one
   * an interval: each costs an invitation, out of the traffic that batches and epochs need too.
   */
  async #bind(): Promise<void> {
    const { store, log, now } = this.#parts;
    const refilled = Math.floor((now() - this.#bindingsMs) / bindingEveryMs);
    if (refilled > 0) {
      this.#bindings = Math.min(bindingsAtOnce, this.#bindings + refilled);
      this.#bindingsMs = now();
    }
    if (this.#bindings === 0) return;
    const parties = new Set((await store.members()).map(({ party }) => party));
    for (const { account, party } of await store.unboundWallets()) {
      if (this.#bindings === 0) return;
      // The operator has bound the party to another account: a person has to sort that out.
      if (parties.has(party)) log.debug({ account, party }, "the party is another account's");
      else {
        this.#bindings--;
        await this.add(account, party);
      }
    }
  }

  /** Reads the ledger up to its end: coins that came and went, batches that are on it. */
  async follow(): Promise<void> {
    const { store, network } = this.#parts;
    const members = await store.members();
    const parties = [network.custody, ...members.map(({ party }) => party)];
    for (let pages = 0; pages < pagesMax; pages++) {
      const { ledgerOffset } = await store.cursor();
      const page = await network.updates(ledgerOffset, parties);
      if (page.through === ledgerOffset) return;
      const known = new Set(parties);
      const created = page.updates.flatMap(({ holdings }) =>
        holdings.filter(({ owner }) => known.has(owner)).flatMap((coin) => this.#coin(coin)),
      );
      const archived = page.updates.flatMap((update): readonly ContractId[] => update.archived);
      const confirmed = page.updates.flatMap(confirmationOf);
      const locked = page.updates.flatMap(({ allocations }) => this.#locked(allocations));
      const paid = page.updates.flatMap(paymentOf);
      await store.advance({ through: page.through, created, locked, archived, confirmed, paid });
      if (page.isLast) return;
    }
  }

  /** Credits what came to the members' parties, and freezes those who took away too much. */
  async reconcile(): Promise<void> {
    const { store, desk } = this.#parts;
    await this.#finishCredits();
    const members = new Map((await store.members()).map((member) => [member.account, member]));
    // A failed batch is a debt that the operator has to decide on.
    const short = new Set<number>(await store.failedAccounts());
    for (const { account, asset, external, credited } of await store.mirror()) {
      if (external < credited) short.add(account);
      if (external <= credited) continue;
      const amount = external - credited;
      const seqBefore = desk.committedSeq();
      const creditId = await store.prepareCredit({ account, asset, amount, seqBefore });
      await store.finishCredit(creditId, await desk.credit(account, asset, amount));
    }
    for (const member of members.values()) await this.#stand(member, short.has(member.account));
  }

  async #stand(member: Member, isShort: boolean): Promise<void> {
    const { store, desk, log } = this.#parts;
    const { account, isFrozen, authCid } = member;
    if (isShort === isFrozen) return;
    await desk.setStanding(account, { isEnrolled: authCid !== null, isFrozen: isShort });
    if (isShort) {
      log.warn({ account }, "a member's party has less than the venue counts on, or owes: frozen");
      await desk.cancelSpotOrders(account);
    }
    await store.setFrozen(account, isShort);
  }

  /** Credits whose answer was lost: in the journal or not, nothing else has credited meanwhile. */
  async #finishCredits(): Promise<void> {
    const { store, desk } = this.#parts;
    for (const credit of await store.openCredits()) {
      await store.finishCredit(credit.creditId, await desk.wasCredited(credit));
    }
  }

  async #propose({ party }: Member, at: number): Promise<void> {
    const { network, instruments, now, newId, log } = this.#parts;
    if (this.#proposed.has(party)) return;
    const proposals = await network.contracts(party, network.templates.memberAuthProposal, at);
    this.#proposed.add(party);
    if (proposals.some(({ payload }) => payload["member"] === party)) return;
    const limits = [...instruments.values()].map(({ id }) => [id, perBatchLimit] as const);
    const outcome = await network.propose({
      commandId: `enr:${newId()}`,
      submissionId: newId(),
      actAs: [network.operator],
      dedupOffset: at,
      member: party,
      instruments: [...instruments.values()],
      perBatchLimit: Object.fromEntries(limits),
      expiresAtMs: now() + proposalMs,
    });
    if (outcome.kind === "committed") return;
    // Two proposals do no harm: a member accepts one of them, and the other runs out.
    this.#proposed.delete(party);
    log.warn({ party, reason: outcome.words }, "a member could not be invited yet");
  }

  /** Payments locked for the venue to carry out; whether they are of a batch the store knows. */
  #locked(allocations: readonly SeenAllocation[]): LockedLeg[] {
    const { operator } = this.#parts.network;
    return allocations
      .filter(({ executor }) => executor === operator)
      .map(({ reference: batchId, ...seen }) => ({ ...seen, batchId }));
  }

  #coin({ contractId, owner, instrument, amount, isLocked }: Holding): Coin[] {
    for (const [asset, { admin, id }] of this.#parts.instruments) {
      if (admin !== instrument.admin || id !== instrument.id) continue;
      return [{ contractId, party: owner, asset, amount, isLocked }];
    }
    // A coin of something the venue does not list.
    return [];
  }
}

function paymentOf({ commandId, updateId, offset }: LedgerUpdate) {
  const made = paymentMadeBy(commandId);
  return made === null ? [] : [{ ...made, updateId, offset }];
}

function confirmationOf({ commandId, updateId, offset }: LedgerUpdate) {
  const batch = batchSettledBy(commandId);
  return batch === null ? [] : [{ ...batch, updateId, offset }];
}
