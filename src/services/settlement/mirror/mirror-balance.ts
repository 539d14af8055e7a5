// Keeps members' spot wallets equal to the holdings of their parties on the ledger. Deposits are credited.
// Withdrawals are debited from the free balance; if that is too low, spot orders are cancelled first. A member whose
// fills rely on missing coins is frozen until they are back. Spec SET-2, SET-6.
//
// Each credit or debit is stored before it is sent. If the reply was lost, the journal is searched before
// anything else is booked.

import type {
  CreditRow,
  Member,
  MirrorRow,
  SettlementStore,
} from "../../../ports/ledger/settlement-store.ts";
import type { Log } from "../../../ports/log.ts";

/** Commands to clearing; when a call resolves, its result is durable. */
export interface MirrorService {
  committedSeq(): number;
  /** Credits the amount, or debits it if negative. False if clearing refused, for example if too little is free. */
  credit(account: number, asset: number, amount: bigint): Promise<boolean>;
  /** Whether the journal after `seqBefore` contains this credit. */
  wasCredited(credit: CreditRow): Promise<boolean>;
  setMemberFlags(account: number, flags: { isEnrolled: boolean; isFrozen: boolean }): Promise<void>;
  cancelSpotOrders(account: number): Promise<void>;
}

export interface MirrorBalanceParts {
  readonly store: SettlementStore;
  readonly clearing: MirrorService;
  readonly log: Log;
}

export class MirrorBalance {
  readonly #parts: MirrorBalanceParts;
  /**
   * Frozen members whose freeze is complete: clearing has been told, and their orders are cancelled. Empty at the start,
   * because a stored freeze may not have reached clearing.
   */
  readonly #frozen = new Set<number>();

  constructor(parts: MirrorBalanceParts) {
    this.#parts = parts;
  }

  /** Books the changes in the holdings of these members, and freezes or unfreezes the members. */
  async compare(members: readonly Member[]): Promise<void> {
    if (members.length === 0) return;
    const { store } = this.#parts;
    await this.#finishCredits();
    // Accounts with a failed batch count as short of coins until the operator has resolved the batch.
    const short = new Set<number>(await store.failedAccounts());
    for (const row of await store.mirror(members.map(({ account }) => account))) {
      if (!(await this.#book(row))) short.add(row.account);
    }
    for (const member of members) await this.#stand(member, short.has(member.account));
  }

  /** Books the change. False if the party withdrew more than is free after the account's spot orders are cancelled. */
  async #book({ account, asset, external, credited }: MirrorRow): Promise<boolean> {
    const change = external - credited;
    if (change === 0n || (await this.#credit(account, asset, change))) return true;
    // A refused credit is retried in the next comparison.
    if (change > 0n) return true;
    await this.#parts.clearing.cancelSpotOrders(account);
    return this.#credit(account, asset, change);
  }

  async #credit(account: number, asset: number, amount: bigint): Promise<boolean> {
    const { store, clearing } = this.#parts;
    const seqBefore = clearing.committedSeq();
    const creditId = await store.prepareCredit({ account, asset, amount, seqBefore });
    const isApplied = await clearing.credit(account, asset, amount);
    await store.finishCredit(creditId, isApplied);
    return isApplied;
  }

  /**
   * Freezes or unfreezes a member. The freeze is stored before clearing is told of it, and its end after that. So
   * whatever breaks off in between, an account that clearing has frozen is stored as frozen, and is unfrozen later.
   */
  async #stand(member: Member, isShort: boolean): Promise<void> {
    const { store, clearing, log } = this.#parts;
    const { account, isFrozen, authCid } = member;
    if (isShort ? this.#frozen.has(account) : !isFrozen) return;
    const isEnrolled = authCid !== null;
    if (!isShort) {
      this.#frozen.delete(account);
      await clearing.setMemberFlags(account, { isEnrolled, isFrozen: false });
      await store.setFrozen(account, false);
      return;
    }
    await store.setFrozen(account, true);
    await clearing.setMemberFlags(account, { isEnrolled, isFrozen: true });
    log.warn(
      { account },
      "a member is frozen: its party has too few coins, or owes a failed batch",
    );
    await clearing.cancelSpotOrders(account);
    this.#frozen.add(account);
  }

  /**
   * Finishes credits whose reply was lost. Nothing else was credited since, so the journal shows whether they took
   * effect.
   */
  async #finishCredits(): Promise<void> {
    const { store, clearing } = this.#parts;
    for (const credit of await store.openCredits()) {
      await store.finishCredit(credit.creditId, await clearing.wasCredited(credit));
    }
  }
}
