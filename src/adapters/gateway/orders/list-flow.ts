// Operations on order lists: place, cancel, find. A list is cancelled by a cancel of one of its open orders, which ends
// all of them.

import type { PlaceList } from "../../../core/generated/commands.ts";
import type { Market } from "../../../core/markets.ts";
import { legCountOf, listIdOfDerived } from "../../../core/order-lists.ts";
import { OrderStatus } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { OrderListRecord, OrderRecord } from "../../../ports/journal/history-store.ts";
import type { RouteContext } from "../requests/route-context.ts";
import {
  ledgerStale,
  notExecuted,
  orderUnknown,
  type SurfaceError,
  unexpected,
} from "../requests/surface-error.ts";
import type { CommandRequest } from "./command-bridge.ts";
import type { ErrorMap, OrderFlow } from "./order-flow.ts";

/** A list with its orders, by id. */
export interface FoundList {
  readonly list: Pick<OrderListRecord, "listId" | "market" | "type" | "clientId">;
  readonly orders: readonly OrderRecord[];
}

/** Identifies a list by the venue's id or by the client's; if both are given, both must fit. */
interface ListReference {
  readonly listId: number | undefined;
  readonly clientId: string | undefined;
}

type ListOutcomeHandler = (outcome: FoundList | SurfaceError, lastSeq: number) => void;

/** Cancels that may miss because the list has just changed; the state after each says which order to cancel next. */
const triesMax = 4;

export class ListFlow {
  readonly #context: RouteContext;
  readonly #flow: OrderFlow;
  readonly #errors: ErrorMap;

  constructor(context: RouteContext, flow: OrderFlow, errors: ErrorMap) {
    this.#context = context;
    this.#flow = flow;
    this.#errors = errors;
  }

  /** Sends a list and reports it with its orders after matching. */
  place(request: CommandRequest, command: PlaceList, onOutcome: ListOutcomeHandler): void {
    const { account } = command;
    if (this.#flow.isStale(command)) {
      onOutcome(ledgerStale, 0);
      return;
    }
    const isSent = this.#context.bridge.send(
      command,
      "orders",
      request,
      ({ reason, subject, lastSeq }) => {
        if (reason !== RejectReason.none) onOutcome(this.#errors[reason], lastSeq);
        else this.report(account, subject, (found) => onOutcome(found, lastSeq));
      },
    );
    if (!isSent) onOutcome(notExecuted, 0);
  }

  /** Cancels the list and reports it with its orders. */
  cancel(
    request: CommandRequest,
    account: number,
    { market, listId }: { market: Market; listId: number },
    onOutcome: ListOutcomeHandler,
    tries = triesMax,
  ): void {
    const { model } = this.#context;
    const orders = model.listedOrders(account, listId);
    const open = orders.findLast(({ status }) => status === OrderStatus.open);
    if (open === undefined || tries === 0) {
      onOutcome(orderUnknown, 0);
      return;
    }
    const reference = { market, orderId: open.orderId, clientId: undefined };
    this.#flow.withdraw(request, account, reference, (outcome, lastSeq) => {
      if (!("code" in outcome)) {
        this.report(account, listId, (found) => onOutcome(found, lastSeq));
      } else if (outcome === this.#errors[RejectReason.unknownOrder]) {
        this.cancel(request, account, { market, listId }, onOutcome, tries - 1);
      } else onOutcome(outcome, lastSeq);
    });
  }

  /** Passes the account's list with its orders, from memory or from SQL, to `take`. */
  report(account: number, listId: number, take: (found: FoundList | SurfaceError) => void): void {
    this.#byId(account, listId).then(take, (fault: unknown) => {
      this.#context.log.error({ fault, account, listId }, "failed to read an order list");
      take(unexpected);
    });
  }

  async #byId(account: number, listId: number): Promise<FoundList | SurfaceError> {
    const list = await this.find(account, { listId, clientId: undefined });
    return list === null ? orderUnknown : this.withOrders(account, list);
  }

  /** The account's list, open or not; null if there is none. */
  async find(
    account: number,
    { listId, clientId }: ListReference,
  ): Promise<FoundList["list"] | null> {
    const { model, history } = this.#context;
    // The journal has no derived client id, so the list's id in it finds the list.
    const derivedId = listIdOfDerived(clientId ?? "");
    const fromListId = listId ?? (derivedId || null);
    const open =
      fromListId === null
        ? model.listByClientId(account, clientId ?? "")
        : model.list(account, fromListId);
    const chosen = derivedId === 0 ? (clientId ?? null) : null;
    const given = { account, startUs: null, endUs: null, clientId: chosen, limit: 1 };
    const [stored] = open === undefined ? await history.orderLists({ ...given, fromListId }) : [];
    const found = open ?? stored;
    const fits =
      found !== undefined &&
      (listId === undefined || found.listId === listId) &&
      (clientId === undefined || found.clientId === clientId);
    return fits ? found : null;
  }

  /** The list with its orders: those in memory, and the others from SQL. */
  async withOrders(account: number, list: FoundList["list"]): Promise<FoundList> {
    const [found = { list, orders: [] }] = await this.allWithOrders(account, [list]);
    return found;
  }

  /** The same for several lists of one account. */
  async allWithOrders(account: number, lists: readonly FoundList["list"][]): Promise<FoundList[]> {
    const { model, history } = this.#context;
    const ids = lists.flatMap(({ listId, type }) =>
      Array.from({ length: legCountOf(type) }, (_, place) => listId + place),
    );
    const away = ids.filter((id) => model.order(account, id) === undefined);
    const stored = away.length === 0 ? [] : await history.ordersByIds(account, away);
    const storedById = new Map(stored.map((order) => [order.orderId, order]));
    return lists.map((list) => {
      const own = ids.filter((id) => id >= list.listId && id < list.listId + legCountOf(list.type));
      const orders = own.flatMap((id) => model.order(account, id) ?? storedById.get(id) ?? []);
      return { list, orders };
    });
  }
}
