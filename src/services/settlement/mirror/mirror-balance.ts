// Makes the spot wallets of members what their parties have on the ledger. What came is credited; what was
// taken away is taken off what is free, after spot orders were cancelled where they hold it. A member whose
// fills count on what is gone is frozen until it is back. Spec SET-2, SET-6.
//
// A credit, or its contrary, is made once: it is written down first, and one whose answer was lost is looked
// for in the journal before anything else is booked.

import type {
  CreditRow,
  Member,
  MirrorRow,
  SettlementStore,
} from "../../../ports/ledger/settlement-store.ts";
import type { Log } from "../../../ports/log.ts";

/** What the mirror may ask of the venue; each answer means it is durable. */
export interface MirrorService {
  committedSeq(): number;
  /** False where clearing refused it: below zero, where the account has less than that free. */
  credit(account: number, asset: number, amount: bigint): Promise<boolean>;
  /** Whether the journal behind `seqBefore` has this credit. */
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

  constructor(parts: MirrorBalanceParts) {
    this.#parts = parts;
  }

  /** Books what has moved of these members, and freezes or thaws them. */
  async compare(members: readonly Member[]): Promise<void> {
    if (members.length === 0) return;
    const { store } = this.#parts;
    await this.#finishCredits();
    // A failed batch is a debt that the operator has to decide on.
    const short = new Set<number>(await store.failedAccounts());
    for (const row of await store.mirror(members.map(({ account }) => account))) {
      if (!(await this.#book(row))) short.add(row.account);
    }
    for (const member of members) await this.#stand(member, short.has(member.account));
  }

  /** False where more was taken away than the account has free, with its spot orders cancelled. */
  async #book({ account, asset, external, credited }: MirrorRow): Promise<boolean> {
    const change = external - credited;
    if (change === 0n || (await this.#credit(account, asset, change))) return true;
    // What came and is refused is tried again at the next look.
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

  async #stand(member: Member, isShort: boolean): Promise<void> {
    const { store, clearing, log } = this.#parts;
    const { account, isFrozen, authCid } = member;
    if (isShort === isFrozen) return;
    await clearing.setMemberFlags(account, { isEnrolled: authCid !== null, isFrozen: isShort });
    if (isShort) {
      log.warn({ account }, "a member's party has less than the venue counts on, or owes: frozen");
      await clearing.cancelSpotOrders(account);
    }
    await store.setFrozen(account, isShort);
  }

  /** Credits whose answer was lost: in the journal or not, nothing else has credited meanwhile. */
  async #finishCredits(): Promise<void> {
    const { store, clearing } = this.#parts;
    for (const credit of await store.openCredits()) {
      await store.finishCredit(credit.creditId, await clearing.wasCredited(credit));
    }
  }
}
