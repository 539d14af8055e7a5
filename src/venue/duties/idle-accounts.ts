// Closes accounts that never held a balance, so that strangers who open many cannot use up the account numbers. Each
// minute a query finds the oldest such accounts, and clearing decides whether each of them is closed. While the venue
// is short of account numbers, an account is closed after one hour without a balance, even if it has an open session.

import type { Sql } from "../../adapters/postgres/connection.ts";
import {
  countOpenAccounts,
  forgetClosedUsers,
  type IdleAccountsQuery,
  readIdleAccounts,
} from "../../adapters/postgres/queries/access/accounts.ts";
import { AccountType, firstCustomerAccount } from "../../core/accounts.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import {
  accountSlotsSpare,
  accountsMax,
  idleAccountShortMs,
  idleAccountsPerLook,
} from "../../core/limits.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { ClearingClient } from "../../ports/clearing-client.ts";
import type { Log } from "../../ports/log.ts";

const lookMs = 60_000;
/** Commands in flight at a time: each is a small transaction, and orders are served in between. */
const sentAtOnce = 32;

export interface IdleAccountsParts {
  readonly sql: Sql;
  readonly clearing: ClearingClient;
  readonly log: Log;
  /** Returns the time for duties; it stops while the machine's clock is not trusted. */
  readonly dutyMs: () => number;
  /** Age in milliseconds at which an account without a balance is closed; 0 closes none. */
  readonly idleMs: number;
}

export class IdleAccounts {
  readonly #parts: IdleAccountsParts;
  readonly #timer: NodeJS.Timeout | undefined;
  /**
   * The last account that was tried: `free` among accounts without a session, `all` among all accounts. The next search
   * continues after that account, so that refused accounts are not retried each time.
   */
  readonly #after = { free: 0, all: 0 };
  #looking: Promise<number> | null = null;
  #isClosed = false;

  constructor(parts: IdleAccountsParts) {
    this.#parts = parts;
    if (parts.idleMs === 0) return;
    this.#timer = setInterval(() => void this.look().catch(() => undefined), lookMs);
    this.#timer.unref();
  }

  /** Closes the accounts that are due now, or waits for the run in progress; returns how many were closed. */
  look(): Promise<number> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking?.catch(() => undefined);
  }

  async #look(): Promise<number> {
    const { sql, dutyMs, idleMs, log } = this.#parts;
    try {
      const room = accountsMax - firstCustomerAccount - (await countOpenAccounts(sql));
      const isShort = room < accountSlotsSpare;
      if (isShort) log.warn({ room }, "the venue is running out of account numbers");
      const nowMs = dutyMs();
      const ageMs = isShort ? Math.min(idleMs, idleAccountShortMs) : idleMs;
      const openedBeforeUs = (nowMs - ageMs) * 1000;
      let closed = await this.#closeSome("free", { openedBeforeUs, nowMs });
      if (isShort) closed += await this.#closeSome("all", { openedBeforeUs, nowMs });
      if (closed > 0) log.info({ closed }, "closed idle accounts that never held a balance");
      await forgetClosedUsers(sql);
      return closed;
    } catch (error) {
      if (!this.#isClosed) log.error({ err: error }, "the search for idle accounts failed");
      throw error;
    }
  }

  async #closeSome(
    which: "free" | "all",
    times: Pick<IdleAccountsQuery, "openedBeforeUs" | "nowMs">,
  ): Promise<number> {
    const { clearing, sql } = this.#parts;
    const [after, limit] = [this.#after[which], idleAccountsPerLook];
    const query = { ...times, withSessions: which === "all", after, limit };
    const accounts = await readIdleAccounts(sql, query);
    this.#after[which] = accounts.length < limit ? 0 : (accounts.at(-1) ?? 0);
    const accountType = AccountType.closed;
    let closed = 0;
    for (let from = 0; from < accounts.length && !this.#isClosed; from += sentAtOnce) {
      const some = accounts.slice(from, from + sentAtOnce);
      const asked = some.map((account) =>
        clearing.send({ kind: CommandKind.setAccountType, account, accountType }),
      );
      for (const { reason } of await Promise.all(asked)) if (reason === RejectReason.none) closed++;
    }
    return closed;
  }
}
