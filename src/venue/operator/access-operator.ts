// The operator's decisions about accounts and markets: who may trade and withdraw, and which markets trade. Every
// change goes through clearing and is journaled before the answer. An operator's freeze and a settlement freeze are
// independent of each other.

import {
  type AccountListing,
  readAccount,
  readSubAccounts,
} from "../../adapters/postgres/queries/access/accounts.ts";
import { countOpenPositions, readMarkets } from "../../adapters/postgres/queries/journal/risk.ts";
import { AccountFlag, AccountType, accountTypeNames } from "../../core/accounts.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { isPerpetual, type Market, MarketStatus, marketStatusName } from "../../core/markets.ts";
import {
  type OperatorContext,
  OperatorRefusal,
  sendCommand,
  WrongValue,
} from "./operator-commands.ts";

const flagNames: readonly (readonly [flag: number, name: string])[] = [
  [AccountFlag.frozen, "frozen"],
  [AccountFlag.frozenBySettlement, "frozen by settlement"],
  [AccountFlag.enrolled, "enrolled"],
  [AccountFlag.canWithdraw, "may withdraw"],
  [AccountFlag.designatedMaker, "designated maker"],
];

/** What the log says when the operator has changed the status of a market. Spec OPS-106. */
const statusMessages: Readonly<Record<MarketStatus, string>> = {
  [MarketStatus.trading]: "the operator resumed a market",
  [MarketStatus.halted]: "the operator halted a market; its open orders were cancelled",
  [MarketStatus.delisted]: "the operator delisted a market; its open orders were cancelled",
};

/** Returns the names of an account's flags. */
export function accountFlagNames(flags: number): string[] {
  return flagNames.filter(([flag]) => (flags & flag) !== 0).map(([, name]) => name);
}

export class AccessOperator {
  readonly #parts: OperatorContext;

  constructor(parts: OperatorContext) {
    this.#parts = parts;
  }

  /**
   * Refuses the account's new orders until `thaw`, and those of its sub-accounts; cancels still work. With
   * `cancelsOrders`, also cancels the open orders of all of them.
   */
  async freeze(frozen: number, cancelsOrders: boolean): Promise<object> {
    const { clearing, table, sql } = this.#parts;
    const changed = await this.#setFlag(frozen, AccountFlag.frozen, true);
    if (!cancelsOrders) return changed;
    for (const account of [frozen, ...(await readSubAccounts(sql, frozen))]) {
      for (const { id: market } of table.markets)
        await clearing.send({ kind: CommandKind.cancelAllOrders, account, market });
    }
    return changed;
  }

  async thaw(account: number): Promise<object> {
    return this.#setFlag(account, AccountFlag.frozen, false);
  }

  /** Makes an account a house account, which pays no fees, or a customer account again. Spec OPS-27. */
  async house(account: number, isHouse: boolean): Promise<object> {
    const { clearing, sql, settle } = this.#parts;
    const before = await this.#customer(account);
    if (before.type === AccountType.wallet) {
      throw new OperatorRefusal(
        `account ${account} is funded from a member's own wallet: it cannot become a house account`,
      );
    }
    const accountType = isHouse ? AccountType.house : AccountType.standard;
    if (before.type !== accountType)
      await sendCommand(clearing, { kind: CommandKind.setAccountType, account, accountType });
    await settle();
    const after = await readAccount(sql, account);
    return { account, type: accountTypeNames[after?.type ?? 0] };
  }

  /** Sets whether the account may withdraw: `permissions` is WITHDRAW or NONE. */
  async permit(account: number, permissions: string): Promise<object> {
    const name = permissions.toUpperCase();
    if (name !== "WITHDRAW" && name !== "NONE")
      throw new WrongValue(`permissions: expected WITHDRAW or NONE, not ${permissions}`);
    return this.#setFlag(account, AccountFlag.canWithdraw, name === "WITHDRAW");
  }

  /** Halts trading until `resume` and cancels open orders. Spec ORD-35. */
  async halt(symbol: string): Promise<object> {
    const { market, status } = await this.#market(symbol);
    if (status === MarketStatus.delisted) throw delistedAlready(market);
    return this.#setStatus(market, MarketStatus.halted);
  }

  /** Resumes trading after a halt; refused for a delisted market. */
  async resume(symbol: string): Promise<object> {
    const { market, status } = await this.#market(symbol);
    if (status === MarketStatus.delisted) throw delistedAlready(market);
    return this.#setStatus(market, MarketStatus.trading);
  }

  /** Delists permanently: cancels open orders and releases their funds; history stays. */
  async delist(symbol: string): Promise<object> {
    const { market, status } = await this.#market(symbol);
    if (status === MarketStatus.delisted) throw delistedAlready(market);
    if (isPerpetual(market)) await this.#refuseOpenInterest(market, status);
    return this.#setStatus(market, MarketStatus.delisted);
  }

  /** Refuses to delist while there are positions, because their owners could no longer close them. */
  async #refuseOpenInterest({ id, symbol }: Market, status: number): Promise<void> {
    if (status !== MarketStatus.halted) {
      throw new OperatorRefusal(
        `${symbol} is a perpetual: halt it first, so that no new positions open`,
      );
    }
    const open = await countOpenPositions(this.#parts.sql, id);
    if (open > 0)
      throw new OperatorRefusal(
        `${symbol} has ${open} open positions: a perpetual can be delisted only without positions`,
      );
  }

  async #setFlag(account: number, mask: number, isSet: boolean): Promise<object> {
    const { clearing, sql, settle } = this.#parts;
    await this.#customer(account);
    await sendCommand(clearing, {
      kind: CommandKind.setAccountFlags,
      account,
      flags: isSet ? mask : 0,
      mask,
    });
    await settle();
    const after = await readAccount(sql, account);
    return { account, standing: accountFlagNames(after?.flags ?? 0) };
  }

  async #customer(account: number): Promise<AccountListing> {
    const { sql, settle } = this.#parts;
    await settle();
    const row = await readAccount(sql, account);
    if (row === null) throw new OperatorRefusal(`no account ${account}`);
    if (row.type === AccountType.system)
      throw new OperatorRefusal(`account ${account} is a system account of the venue`);
    if (row.type === AccountType.closed) throw new OperatorRefusal(`account ${account} is closed`);
    return row;
  }

  async #setStatus({ id: market, symbol }: Market, status: MarketStatus): Promise<object> {
    const { clearing, log, settle } = this.#parts;
    await sendCommand(clearing, { kind: CommandKind.setMarketStatus, account: 0, market, status });
    log.info({ market: symbol }, statusMessages[status]);
    await settle();
    return { symbol, status: marketStatusName(status) };
  }

  async #market(symbol: string): Promise<{ market: Market; status: number }> {
    const { table, sql, settle } = this.#parts;
    const market = table.find(symbol.toUpperCase());
    if (market === undefined) {
      const names = table.markets.map((one) => one.symbol);
      throw new OperatorRefusal(`no market ${symbol}; markets: ${names.join(", ")}`);
    }
    await settle();
    const rows = await readMarkets(sql);
    const row = rows.find((one) => one.market === market.id);
    return { market, status: row?.status ?? market.initialStatus };
  }
}

function delistedAlready({ symbol }: Market): OperatorRefusal {
  return new OperatorRefusal(`${symbol} is permanently delisted`);
}
