// The operator's decisions about unassigned deposits, and the terms of deposits and withdrawals.

import type { MarketTable } from "../../core/markets.ts";
import { formatScaled, parseAmount } from "../../core/money/amounts.ts";
import { formatLedgerAmount } from "../../core/money/ledger-amount.ts";
import type { Clock } from "../../ports/clock.ts";
import {
  type CustodyAdmin,
  type CustodyTerms,
  DepositState,
  type HeldDeposit,
} from "../../ports/ledger/custody.ts";
import { OperatorRefusal, WrongValue } from "./operator-commands.ts";

export interface CustodyOperatorParts {
  readonly table: MarketTable;
  readonly clock: Clock;
  readonly custody: CustodyAdmin;
  /** Returns whether the account exists and belongs to a customer. */
  readonly isCustomer: (account: number) => Promise<boolean>;
  /** Makes the rows of acknowledged changes readable. */
  readonly settle: () => Promise<unknown>;
}

/** Terms to change, as decimals of the asset. */
export interface TermsRequest {
  readonly asset: string;
  readonly depositMin?: string | undefined;
  readonly withdrawalMin?: string | undefined;
  readonly withdrawalFee?: string | undefined;
}

const stateNames: Readonly<Record<number, string>> = {
  [DepositState.unclaimed]: "unclaimed",
  [DepositState.tooSmall]: "below_minimum",
  [DepositState.returning]: "returning",
  [DepositState.returned]: "returned",
};

export class CustodyOperator {
  readonly #parts: CustodyOperatorParts;

  constructor(parts: CustodyOperatorParts) {
    this.#parts = parts;
  }

  /** Deposits that were not credited, newest first; with `all` also the returned ones. */
  async listDeposits(all: boolean): Promise<object[]> {
    return (await this.#parts.custody.heldDeposits(all)).map((row) => this.#shown(row));
  }

  /** Credits an unassigned deposit to an account, once. */
  async creditDeposit(depositId: number, account: number): Promise<object> {
    const { custody, clock, isCustomer, settle } = this.#parts;
    await settle();
    if (!(await isCustomer(account))) throw new OperatorRefusal(`no customer account ${account}`);
    if (!(await custody.credit(depositId, account, clock.nowMs()))) throw notPending(depositId);
    return { deposit_id: depositId, account, status: "pending" };
  }

  /** Returns the full amount of an unassigned deposit to its sender, once. */
  async returnDeposit(depositId: number): Promise<object> {
    const { custody, clock } = this.#parts;
    if (!(await custody.sendBack(depositId, clock.nowMs()))) throw notPending(depositId);
    return { deposit_id: depositId, status: "returning" };
  }

  async showTerms(): Promise<object[]> {
    return (await this.#parts.custody.terms()).map((terms) => this.#shownTerms(terms));
  }

  /** Changes the given terms and leaves the others as they are. Refuses a fee that leaves nothing to pay out. */
  async setTerms(request: TermsRequest): Promise<object> {
    const { table, custody, clock } = this.#parts;
    const asset = table.findAsset(request.asset.toUpperCase());
    if (asset === undefined) throw new OperatorRefusal(`no asset ${request.asset}`);
    const before = (await custody.terms()).find((terms) => terms.asset === asset.id);
    if (before === undefined) throw new OperatorRefusal(`${asset.code} has no terms`);
    const { depositMin, withdrawalMin, withdrawalFee } = request;
    if ([depositMin, withdrawalMin, withdrawalFee].every((text) => text === undefined))
      throw new OperatorRefusal("give at least one term");
    const read = (name: string, text: string | undefined, kept: bigint): bigint => {
      if (text === undefined) return kept;
      const amount = parseAmount(text, asset.decimals);
      if (amount !== null && amount >= 0n) return amount;
      throw new WrongValue(
        `${name}: ${text} is not an amount of ${asset.code} (at most ${asset.decimals} decimal places)`,
      );
    };
    const terms: CustodyTerms = {
      asset: asset.id,
      depositMin: read("deposit-min", depositMin, before.depositMin),
      withdrawalMin: read("withdrawal-min", withdrawalMin, before.withdrawalMin),
      withdrawalFee: read("withdrawal-fee", withdrawalFee, before.withdrawalFee),
    };
    if (terms.depositMin === 0n) throw new WrongValue("deposit-min must be above 0");
    if (terms.withdrawalMin <= terms.withdrawalFee)
      throw new OperatorRefusal("withdrawal-min must be above withdrawal-fee");
    const shown = this.#shownTerms(terms);
    await custody.setTerms(terms, asset.code, JSON.stringify(shown), clock.nowMs());
    return shown;
  }

  /** Operator changes, newest first. */
  async audit(): Promise<object[]> {
    return (await this.#parts.custody.audit()).map(({ atMs, ...row }) => {
      return { at: new Date(atMs).toISOString(), ...row };
    });
  }

  #shown(row: HeldDeposit): object {
    return {
      deposit_id: row.depositId,
      at: new Date(row.recordedMs).toISOString(),
      asset: this.#parts.table.asset(row.asset).code,
      amount: formatLedgerAmount(row.units),
      status: stateNames[row.state] ?? String(row.state),
      account: row.account ?? "-",
      reference: row.reference ?? "-",
      sender: row.sender,
      update_id: row.updateId,
      returned_by: row.returnedBy ?? "-",
      reason: row.reason ?? "-",
    };
  }

  #shownTerms({ asset: id, depositMin, withdrawalMin, withdrawalFee }: CustodyTerms): object {
    const { code, decimals } = this.#parts.table.asset(id);
    return {
      asset: code,
      deposit_min: formatScaled(depositMin, decimals),
      withdrawal_min: formatScaled(withdrawalMin, decimals),
      withdrawal_fee: formatScaled(withdrawalFee, decimals),
    };
  }
}

function notPending(depositId: number): OperatorRefusal {
  return new OperatorRefusal(
    `deposit ${depositId} does not exist, or is already credited or being returned`,
  );
}
