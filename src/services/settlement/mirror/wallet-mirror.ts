// Mirrors the holdings of members' parties in their spot wallets: enrolls parties and follows ledger updates. Coins
// that a settled batch moved count neither as deposits nor as withdrawals, because the fills are already in the
// balances. A member whose coins moved is compared in the next cycle; all members are compared less often.

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
  /** Makes the ledger host a wallet for a party; does nothing on ledgers where parties host their own wallets. */
  readonly hostWallet: (party: Party) => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

/** Maximum amount of each asset that one batch may take. So high that it limits nothing in practice. */
const perBatchLimit = 10n ** 27n;
const proposalMs = 7 * 86_400_000;
const pagesMax = 100;
/** Pending members checked per cycle. */
const pendingPerCycle = 16;
/**
 * Number of accounts that may be bound immediately after a pause. After that, one may be bound per `bindingEveryMs`.
 * Binding sends an invitation of about 2,800 bytes, so one per interval uses less than a third of the free traffic.
 */
const bindingsAtOnce = 16;
const bindingEveryMs = 30_000;
const bindAgainMs = 60_000;

export class WalletMirror {
  readonly #parts: MirrorParts;
  readonly #balance: MirrorBalance;
  /** Parties whose coins have moved since they were last compared. May include custody, which is not mirrored. */
  readonly #moved = new Set<Party>();
  readonly #proposed = new Set<Party>();
  /** Position in the list of pending members at which the next check begins. */
  #turn = 0;
  #hasMorePending = false;
  /** True if the last check could not invite a member. */
  #hasUninvited = false;
  /** Number of self-enrolled accounts that may be bound now, and the start of the current interval. */
  #bindings = bindingsAtOnce;
  #bindingsMs = 0;
  /** Accounts that could not be bound, with the time of the next attempt. */
  readonly #unbound = new Map<number, number>();

  constructor(parts: MirrorParts) {
    this.#parts = parts;
    this.#balance = new MirrorBalance(parts);
  }

  /**
   * True if accounts wait to be bound, a member could not be invited, or more members are pending than one cycle checks.
   */
  get hasWaiting(): boolean {
    const isBinding = this.#bindings === 0 || this.#unbound.size > 0;
    return isBinding || this.#hasUninvited || this.#hasMorePending;
  }

  /** Binds an account to a party. The party's existing coins count as the account's from now on. */
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

  /** Proposes MemberAuth to members without one, enables trading on acceptance and disables it on revocation. */
  async enroll(isPendingOnly: boolean): Promise<void> {
    const { store, network, clearing } = this.#parts;
    await this.#bind();
    // Propose again: an invited member may have accepted and revoked between two checks.
    if (!isPendingOnly) this.#proposed.clear();
    this.#hasUninvited = false;
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

  /** The next few pending members in turn, so that a cycle stays short even if many members are pending. */
  #somePending(members: readonly Member[]): Member[] {
    const pending = members.filter(({ authCid }) => authCid === null);
    this.#hasMorePending = pending.length > pendingPerCycle;
    const from = this.#hasMorePending ? this.#turn % pending.length : 0;
    this.#turn = from + pendingPerCycle;
    return [...pending.slice(from), ...pending.slice(0, from)].slice(0, pendingPerCycle);
  }

  /**
   * Binds self-enrolled accounts to the parties of their keys: a burst first, then one per interval, because
   * each invitation costs traffic that batches and epochs also need.
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
      // If the party is taken, the operator has bound it to another account and has to resolve the conflict.
      if (parties.has(party)) log.debug({ account, party }, "the party belongs to another account");
      else await this.#bindOne(account, party);
    }
  }

  /**
   * Binds one account. An error is only logged and the account retried later, because a wallet that cannot be read, for
   * example with too many coins, must not keep other accounts from being bound.
   */
  async #bindOne(account: number, party: Party): Promise<void> {
    const { now, log } = this.#parts;
    try {
      await this.add(account, party);
      this.#bindings--;
      this.#unbound.delete(account);
    } catch (error) {
      this.#unbound.set(account, now() + bindAgainMs);
      log.warn({ err: error, account, party }, "an account could not be bound to its party");
    }
  }

  /** Accounts whose next attempt is not due yet. */
  #waiting(): number[] {
    const { now } = this.#parts;
    return [...this.#unbound].flatMap(([account, atMs]) => (atMs > now() ? [account] : []));
  }

  /**
   * Reads ledger updates up to the ledger's end and stores what they report: coins created, locked and spent, batches
   * settled and payments made. False if the end was not reached: the ledger returned only a part of its updates, or it
   * has more updates than one call reads.
   */
  async follow(): Promise<boolean> {
    const { store, network } = this.#parts;
    const members = await store.members();
    const owners = new Set([network.custody, ...members.map(({ party }) => party)]);
    // An update names its command only to a party that submitted it, and the operator alone submits a batch between two
    // members. Without its name, the coins of such a batch would count as taken away until the batch is confirmed.
    const parties = [network.operator, ...owners];
    for (let pages = 0; pages < pagesMax; pages++) {
      const { ledgerOffset } = await store.cursor();
      const page = await network.updates(ledgerOffset, parties);
      if (page.through === ledgerOffset) {
        // An empty page without a record time may come from a stalled stream, so the ledger's end decides.
        return page.recordTime !== null || (await network.ledgerEnd()) <= ledgerOffset;
      }
      const created = page.updates.flatMap(({ holdings }) =>
        holdings.filter(({ owner }) => owners.has(owner)).flatMap((coin) => this.#coin(coin)),
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

  /** Compares members whose coins moved since their last comparison. */
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
    // Propose again later. If this proposal and the later one both reach the ledger, the member accepts one of them,
    // and the other one expires.
    this.#proposed.delete(party);
    this.#hasUninvited = true;
    log.warn({ party, reason: outcome.message }, "a member could not be invited");
  }

  /** Payments locked for the venue to execute, each with the batch that its reference names. */
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
