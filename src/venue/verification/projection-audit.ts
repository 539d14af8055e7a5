// `replay --verify` for projections: compares every row with the state folded from the journal. Accounts, keys and new
// orders are written in the database transaction of their event and must match exactly. All rows are written before a
// snapshot, so rows of balances, positions and later order states may lag behind the journal, but not behind the newest
// snapshot. A lagging balance or position must match the folded state at some seq since that snapshot; a lagging order
// must be open in its row, with no more filled than in the journal, and may have a price and a quantity of before.

import type {
  ProjectedBalance,
  ProjectedKey,
  ProjectedOrder,
  ProjectedPosition,
  StoredProjections,
} from "../../adapters/postgres/queries/journal/projections.ts";
import { firstCustomerAccount, type Wallet, walletCount } from "../../core/accounts.ts";
import { assert } from "../../core/assert.ts";
import { assetsMax, marketsMax } from "../../core/limits.ts";
import { OrderStatus } from "../../core/orders.ts";
import type { StateObserver } from "../../engine/state/state-observer.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";

/**
 * First length of the arrays, which are indexed by order id because order ids are dense. It doubles when they are full.
 */
const idsMin = 1 << 16;
const unseen = 255;
/** The columns of a row that hold the terms of an order, and those of them that an amend changes. */
const orderTerms = ["account", "market", "side", "price", "qty"] as const;
const amendedTerms: readonly string[] = ["price", "qty"];
/** Added to the status of an order that changed after the newest snapshot: its row may lag. */
const lagging = 64;

export interface ProjectionReport {
  readonly rows: number;
  /** Rows whose lag is allowed: the venue writes them soon, or at its next start. */
  readonly rowsBehind: number;
  readonly differences: readonly string[];
}

export class ProjectionAudit implements StateObserver {
  readonly #stored: StoredProjections;
  readonly #state: VenueState;
  readonly #balances = new Map<number, ProjectedBalance>();
  readonly #positions = new Map<number, ProjectedPosition>();
  /** Rows that matched at some seq since the newest snapshot. */
  readonly #balancesMet = new Set<number>();
  readonly #positionsMet = new Set<number>();
  /** Balances and positions of the newest snapshot that have no row. */
  readonly #missing: string[] = [];
  #status = new Uint8Array(idsMin).fill(unseen);
  #filled = new Float64Array(idsMin);
  /** Digests of the orders' terms. They are kept here because the state drops an order's terms when it closes. */
  #terms = new Uint32Array(idsMin);
  #mayLag = false;

  /** Reads the rows that may lag. The caller then folds all events after `state` into it. */
  static async open(stored: StoredProjections, state: VenueState): Promise<ProjectionAudit> {
    const audit = new ProjectionAudit(stored, state);
    for (const row of await stored.balances()) audit.#balances.set(balanceKey(row), row);
    for (const row of await stored.positions()) audit.#positions.set(positionKey(row), row);
    for (const slot of state.orders.openSlots()) audit.orderOpened(slot);
    return audit;
  }

  private constructor(stored: StoredProjections, state: VenueState) {
    this.#stored = stored;
    this.#state = state;
  }

  /**
   * To be called when the fold reaches the newest snapshot, or at the start of the fold if there is no snapshot. Rows
   * may lag behind the events after this point.
   */
  beginLag(): void {
    this.#mayLag = true;
    for (const key of this.#balances.keys()) this.#meetBalance(key);
    for (const key of this.#positions.keys()) this.#meetPosition(key);
    const { accounts } = this.#state;
    for (let slot = 1; slot < accounts.next; slot++) {
      const account = accounts.at(slot);
      if (account === 0) continue;
      this.#missBalances(account);
      this.#missPositions(account);
    }
  }

  orderOpened(slot: number): void {
    this.#noteOrder(slot, OrderStatus.open);
  }

  orderChanged(slot: number): void {
    this.#noteOrder(slot, OrderStatus.open + this.#lag);
  }

  orderClosed(slot: number, status: OrderStatus): void {
    this.#noteOrder(slot, status + this.#lag);
  }

  balanceChanged(account: number, wallet: Wallet, asset: number): void {
    if (this.#mayLag) this.#meetBalance(balanceKey({ account, wallet, asset }));
  }

  positionChanged(account: number, market: number): void {
    if (this.#mayLag) this.#meetPosition(positionKey({ account, market }));
  }

  /** Compares all rows with the state, which must be folded to the last seq of the rows' database snapshot. */
  async compare(): Promise<ProjectionReport> {
    const tally = new Tally();
    for (const what of this.#missing) tally.missing(what);
    this.#compareBalances(tally);
    this.#comparePositions(tally);
    await this.#compareOrders(tally);
    await this.#compareAccounts(tally);
    await this.#compareKeys(tally);
    return tally;
  }

  get #lag(): number {
    return this.#mayLag ? lagging : 0;
  }

  #noteOrder(slot: number, status: number): void {
    const { orders } = this.#state;
    const orderId = orders.orderId[slot] ?? 0;
    assert(orderId > 0, "an order that an event changed must have an id");
    while (orderId >= this.#status.length) this.#grow();
    this.#status[orderId] = status;
    this.#filled[orderId] = orders.filledQty[slot] ?? 0;
    this.#terms[orderId] = termsDigest((column) => orders[column][slot] ?? 0);
  }

  #grow(): void {
    const status = new Uint8Array(2 * this.#status.length).fill(unseen);
    status.set(this.#status);
    this.#status = status;
    const filled = new Float64Array(status.length);
    filled.set(this.#filled);
    this.#filled = filled;
    const terms = new Uint32Array(status.length);
    terms.set(this.#terms);
    this.#terms = terms;
  }

  #meetBalance(key: number): void {
    const row = this.#balances.get(key);
    if (row !== undefined && this.#isBalance(row)) this.#balancesMet.add(key);
  }

  #isBalance({ account, wallet, asset, total, reserved }: ProjectedBalance): boolean {
    const { accounts, balances } = this.#state;
    // A closed account never held a balance.
    if (!accounts.exists(account)) return total === 0n && reserved === 0n;
    return (
      total === balances.total(account, wallet as Wallet, asset) &&
      reserved === balances.reserved(account, wallet as Wallet, asset)
    );
  }

  #meetPosition(key: number): void {
    const row = this.#positions.get(key);
    if (row !== undefined && this.#isPosition(row)) this.#positionsMet.add(key);
  }

  #isPosition({ account, market, ...row }: ProjectedPosition): boolean {
    const { accounts, positions } = this.#state;
    if (!accounts.exists(account)) return row.qty === 0 && row.entryValue === 0n;
    return (
      row.qty === positions.qty(account, market) &&
      row.leverage === positions.leverage(account, market) &&
      row.entryValue === positions.entryValue(account, market) &&
      row.realisedPnl === positions.realisedPnl(account, market)
    );
  }

  #compareBalances(tally: Tally): void {
    const { balances } = this.#state;
    for (const [key, row] of this.#balances) {
      tally.rows++;
      if (this.#isBalance(row)) continue;
      if (this.#balancesMet.has(key)) {
        tally.rowsBehind++;
        continue;
      }
      const { account, wallet, asset, total, reserved } = row;
      const expected = balances.total(account, wallet as Wallet, asset);
      const held = balances.reserved(account, wallet as Wallet, asset);
      tally.differs(
        `balance of account ${account}, wallet ${wallet}, asset ${asset}: ` +
          `${total} (${reserved} reserved), the journal gives ${expected} (${held})`,
      );
    }
  }

  #missBalances(account: number): void {
    const { balances, table } = this.#state;
    for (let wallet = 0; wallet < walletCount; wallet++) {
      for (const { id: asset } of table.assets) {
        if (this.#balances.has(balanceKey({ account, wallet, asset }))) continue;
        if (balances.total(account, wallet as Wallet, asset) === 0n) continue;
        this.#missing.push(`balance of account ${account}, wallet ${wallet}, asset ${asset}`);
      }
    }
  }

  #comparePositions(tally: Tally): void {
    const { positions } = this.#state;
    for (const [key, row] of this.#positions) {
      tally.rows++;
      if (this.#isPosition(row)) continue;
      if (this.#positionsMet.has(key)) {
        tally.rowsBehind++;
        continue;
      }
      const { account, market, qty } = row;
      const expected = positions.qty(account, market);
      tally.differs(
        `position of account ${account} in market ${market}: ${qty} lots, entry value ` +
          `${row.entryValue}, leverage ${row.leverage}, the journal gives ${expected}, ` +
          `${positions.entryValue(account, market)}, ${positions.leverage(account, market)}`,
      );
    }
  }

  #missPositions(account: number): void {
    const { positions, table } = this.#state;
    for (const { id: market } of table.markets) {
      if (positions.qty(account, market) === 0) continue;
      if (this.#positions.has(positionKey({ account, market }))) continue;
      this.#missing.push(`position of account ${account} in market ${market}`);
    }
  }

  async #compareOrders(tally: Tally): Promise<void> {
    let next = 1;
    await this.#stored.orders((row) => {
      tally.rows++;
      for (; next < row.orderId; next++) this.#missOrder(next, tally);
      next = row.orderId + 1;
      this.#compareOrder(row, tally);
    });
    for (; next < this.#status.length; next++) this.#missOrder(next, tally);
  }

  /** Reports a missing row of an order. A new order is written with its event, so its row never lags. */
  #missOrder(orderId: number, tally: Tally): void {
    if ((this.#status[orderId] ?? unseen) !== unseen) tally.missing(`order ${orderId}`);
  }

  #compareOrder(row: ProjectedOrder, tally: Tally): void {
    const { orderId, status, filledQty } = row;
    const kept = this.#status[orderId] ?? unseen;
    if (kept === unseen) {
      tally.differs(`order ${orderId} has a row, but is not in the journal`);
      return;
    }
    const mayLag = kept >= lagging;
    const expected = mayLag ? kept - lagging : kept;
    const filled = this.#filled[orderId] ?? 0;
    const isSame = status === expected && filledQty === filled;
    const isBehind = mayLag && status === OrderStatus.open && filledQty <= filled;
    if (!isSame && isBehind) tally.rowsBehind++;
    else if (!isSame) {
      tally.differs(
        `order ${orderId}: status ${status}, ${filledQty} filled, ` +
          `the journal gives ${expected}, ${filled}`,
      );
    } else if (status === OrderStatus.open) this.#compareOpenOrder(row, mayLag, tally);
    else if (termsDigest((column) => row[column]) !== this.#terms[orderId]) {
      tally.differs(`order ${orderId}: its row differs from the journal in its terms`);
    }
  }

  #compareOpenOrder(row: ProjectedOrder, mayLag: boolean, tally: Tally): void {
    const { orders } = this.#state;
    const slot = orders.slotOf(row.orderId);
    assert(slot >= 0, "an order that is open after the replay must have a slot");
    let isBehind = false;
    for (const column of orderTerms) {
      if (row[column] === orders[column][slot]) continue;
      if (mayLag && amendedTerms.includes(column)) isBehind = true;
      else
        tally.differs(
          `order ${row.orderId}: ${column} ${row[column]}, the journal gives ${orders[column][slot]}`,
        );
    }
    if (isBehind) tally.rowsBehind++;
  }

  async #compareAccounts(tally: Tally): Promise<void> {
    const { accounts } = this.#state;
    const met = new Set<number>();
    for (const { account, type, flags } of await this.#stored.accounts()) {
      tally.rows++;
      met.add(account);
      const [expected, expectedFlags] = [accounts.typeOf(account), accounts.flagsOf(account)];
      if (type === expected && flags === expectedFlags) continue;
      tally.differs(
        `account ${account}: type ${type}, flags ${flags}, the journal gives ${expected}, ${expectedFlags}`,
      );
    }
    for (let slot = firstCustomerAccount; slot < accounts.next; slot++) {
      const account = accounts.at(slot);
      if (account !== 0 && !met.has(account)) tally.missing(`account ${account}`);
    }
  }

  async #compareKeys(tally: Tally): Promise<void> {
    const { keys } = this.#state;
    const met = new Set<number>();
    for (const row of await this.#stored.keys()) {
      tally.rows++;
      met.add(row.keyId);
      this.#compareKey(row, tally);
    }
    for (const { keyId } of keys.all()) if (!met.has(keyId)) tally.missing(`API key ${keyId}`);
  }

  #compareKey(row: ProjectedKey, tally: Tally): void {
    const key = this.#state.keys.get(row.keyId);
    if ((key === undefined) !== row.isRevoked) {
      const says = row.isRevoked ? "revoked" : "active";
      tally.differs(`API key ${row.keyId} is ${says} in its row, but not in the journal`);
    }
    if (key === undefined || row.isRevoked) return;
    for (const column of ["account", "keyType", "tier", "permissions"] as const) {
      if (row[column] === key[column]) continue;
      const message = `API key ${row.keyId}: ${column} ${row[column]}`;
      tally.differs(`${message}, the journal gives ${key[column]}`);
    }
  }
}

class Tally implements ProjectionReport {
  rows = 0;
  rowsBehind = 0;
  readonly differences: string[] = [];

  differs(message: string): void {
    this.differences.push(message);
  }

  missing(what: string): void {
    this.differs(`${what} has no row`);
  }
}

/** Returns a 32-bit digest of an order's terms. */
function termsDigest(told: (column: (typeof orderTerms)[number]) => number): number {
  let digest = 0x811c9dc5;
  for (const column of orderTerms) {
    const value = told(column);
    for (const half of [value % 2 ** 32, Math.floor(value / 2 ** 32)]) {
      digest = Math.imul(digest ^ half, 0x01000193);
      digest ^= digest >>> 15;
    }
  }
  return digest >>> 0;
}

function balanceKey({
  account,
  wallet,
  asset,
}: Pick<ProjectedBalance, "account" | "wallet" | "asset">): number {
  return (account * walletCount + wallet) * assetsMax + asset;
}

function positionKey({ account, market }: Pick<ProjectedPosition, "account" | "market">): number {
  return account * marketsMax + market;
}
