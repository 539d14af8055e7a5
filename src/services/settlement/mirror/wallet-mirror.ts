// Keeps the spot wallets of members equal to what their parties brought to the ledger: enrolls parties and
// follows the ledger's updates. What settled batches moved is the venue's own doing and counts on neither
// side. A member whose coins moved is compared in the next cycle, all of them at a slower one.

import type {
  ContractId,
  Holding,
  Instrument,
  LedgerNetwork,
  LedgerUpdate,
  Party,
  SeenAllocation,
} from "../../../ports/ledger/ledger.ts";
import type {
  Coin,
  LockedLeg,
  Member,
  SettlementStore,
} from "../../../ports/ledger/settlement-store.ts";
import type { Log } from "../../../ports/log.ts";
import { batchSettledBy } from "../batches/batch-phases.ts";
import { paymentMadeBy } from "../custody/custody-changes.ts";
import { listedCoin } from "./coin-audit.ts";
import { MirrorBalance, type MirrorService } from "./mirror-balance.ts";

export interface MirrorParts {
  readonly store: SettlementStore;
  readonly network: LedgerNetwork;
  readonly clearing: MirrorService;
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
const pendingPerCycle = 16;
/** An invitation is some 2,800 bytes: with these, at most a third of what the network gives free. */
const bindingsAtOnce = 16;
const bindingEveryMs = 30_000;
const bindAgainMs = 60_000;

export class WalletMirror {
  readonly #parts: MirrorParts;
  readonly #balance: MirrorBalance;
  /** Parties whose coins the ledger has shown to move; custody's too, which is nobody's mirror. */
  readonly #moved = new Set<Party>();
  readonly #proposed = new Set<Party>();
  /** Where the next cycle goes on among the pending. */
  #turn = 0;
  /** Self-enrolled accounts that may be bound now, and since when that is counted. */
  #bindings = bindingsAtOnce;
  #bindingsMs = 0;
  /** Accounts that could not be bound, and when each is tried again. */
  readonly #unbound = new Map<number, number>();

  constructor(parts: MirrorParts) {
    this.#parts = parts;
    this.#balance = new MirrorBalance(parts);
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
    const { store, network, clearing } = this.#parts;
    await this.#bind();
    // Who was invited may have accepted and taken it back since, perhaps between two looks.
    if (!isPendingOnly) this.#proposed.clear();
    const members = await store.members();
    const settled = isPendingOnly ? [] : members.filter(({ authCid }) => authCid !== null);
    for (const member of [...settled, ...this.#somePending(members)]) {
      const { account, party } = member;
      const at = await network.ledgerEnd();
      const found = await network.contracts(party, network.templates.memberAuth, at);
      const own = found.find(({ payload }) => payload["member"] === party);
      if (own !== undefined && member.authCid === null) {
        await clearing.setMemberFlags(account, { isEnrolled: true, isFrozen: member.isFrozen });
        await store.setAuth(account, own.contractId);
      }
      if (own === undefined && member.authCid !== null) {
        await clearing.setMemberFlags(account, { isEnrolled: false, isFrozen: member.isFrozen });
        await clearing.cancelSpotOrders(account);
        await store.setAuth(account, null);
      }
      if (own === undefined) await this.#propose(member, at);
    }
  }

  /** A few of those who have not accepted yet, in turn: many of them must not make a beat long. */
  #somePending(members: readonly Member[]): Member[] {
    const pending = members.filter(({ authCid }) => authCid === null);
    const from = pending.length > pendingPerCycle ? this.#turn % pending.length : 0;
    this.#turn = from + pendingPerCycle;
    return [...pending.slice(from), ...pending.slice(0, from)].slice(0, pendingPerCycle);
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
    for (const { account, party } of await store.unboundWallets(this.#waiting())) {
      if (this.#bindings === 0) return;
      // The operator has bound the party to another account: a person has to sort that out.
      if (parties.has(party)) log.debug({ account, party }, "the party is another account's");
      else await this.#bindOne(account, party);
    }
  }

  /** A wallet that cannot be read, such as one with too many coins, must not hold up everybody else. */
  async #bindOne(account: number, party: Party): Promise<void> {
    const { now, log } = this.#parts;
    try {
      await this.add(account, party);
      this.#bindings--;
      this.#unbound.delete(account);
    } catch (error) {
      this.#unbound.set(account, now() + bindAgainMs);
      log.warn({ err: error, account, party }, "an account could not be bound to its party yet");
    }
  }

  /** Accounts whose next try is yet to come. */
  #waiting(): number[] {
    const { now } = this.#parts;
    return [...this.#unbound].flatMap(([account, atMs]) => (atMs > now() ? [account] : []));
  }

  /**
   * Reads the ledger up to its end: coins that came and went, batches that are on it. False where it says
   * less than it has, or has more than a call reads.
   */
  async follow(): Promise<boolean> {
    const { store, network } = this.#parts;
    const members = await store.members();
    const parties = [network.custody, ...members.map(({ party }) => party)];
    for (let pages = 0; pages < pagesMax; pages++) {
      const { ledgerOffset } = await store.cursor();
      const page = await network.updates(ledgerOffset, parties);
      if (page.through === ledgerOffset) {
        // A page that holds nothing at all may be that of a stream that stalls.
        return page.recordTime !== null || (await network.ledgerEnd()) <= ledgerOffset;
      }
      const known = new Set(parties);
      const created = page.updates.flatMap(({ holdings }) =>
        holdings.filter(({ owner }) => known.has(owner)).flatMap((coin) => this.#coin(coin)),
      );
      const archived = page.updates.flatMap((update): readonly ContractId[] => update.archived);
      const confirmed = page.updates.flatMap(confirmationOf);
      const locked = page.updates.flatMap(({ allocations }) => this.#locked(allocations));
      const paid = page.updates.flatMap(paymentOf);
      const { through } = page;
      const progress = { through, created, locked, archived, confirmed, paid };
      for (const party of await store.advance(progress)) this.#moved.add(party);
      if (page.isLast) return true;
    }
    return false;
  }

  /** Compares the members whose coins have moved since they were last compared. */
  async look(): Promise<void> {
    if (this.#moved.size === 0) return;
    const moved = new Set(this.#moved);
    const members = await this.#parts.store.members();
    await this.#balance.compare(members.filter(({ party }) => moved.has(party)));
    for (const party of moved) this.#moved.delete(party);
  }

  /** Compares every member. */
  async reconcile(): Promise<void> {
    const moved = [...this.#moved];
    await this.#balance.compare(await this.#parts.store.members());
    for (const party of moved) this.#moved.delete(party);
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
    log.warn({ party, reason: outcome.message }, "a member could not be invited yet");
  }

  /** Payments locked for the venue to carry out; whether they are of a batch the store knows. */
  #locked(allocations: readonly SeenAllocation[]): LockedLeg[] {
    const { operator } = this.#parts.network;
    return allocations
      .filter(({ executor }) => executor === operator)
      .map(({ reference: batchId, ...seen }) => ({ ...seen, batchId }));
  }

  #coin(holding: Holding): Coin[] {
    return listedCoin(this.#parts.instruments, holding);
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
