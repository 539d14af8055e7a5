// Order operations of the API surfaces: place, cancel, cancel all, amend, find. When clearing's reply arrives, the read
// model has folded every event of the reply, and the answer is built from the read model. The surfaces choose messages
// and JSON shapes.

import { type AmendOrder, CommandKind, type PlaceOrder } from "../../../core/generated/commands.ts";
import type { Reply } from "../../../core/generated/messages.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { CancelCondition, OrderStatus, orderIdOfDerived } from "../../../core/orders.ts";
import { isOrderLimit, RejectReason } from "../../../core/reject-reason.ts";
import { accountGate } from "../../../engine/clearing/orders/admission.ts";
import type { CommandLane } from "../../../ports/command-sink.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import type { Caller } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import {
  ledgerStale,
  notExecuted,
  orderUnknownToQuery,
  Refusal,
  refuse,
  refused,
  type SurfaceError,
  tooManyRequests,
  unexpected,
} from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import type {
  CommandRequest,
  UnstampedCancelOrders,
  UnstampedOrderCommand,
} from "./command-bridge.ts";

export type ErrorMap = Readonly<Record<RejectReason, SurfaceError>>;

/** Identifies an order by the venue's id, which takes precedence, or by the client's id. */
export interface OrderReference {
  readonly market: Market;
  readonly orderId: number | undefined;
  readonly clientId: string | undefined;
}

/** The venue's id of the order, also if the client id was derived from it; 0 for an order that only the client names. */
function idOf({ orderId, clientId }: OrderReference): number {
  return orderId ?? orderIdOfDerived(clientId ?? "");
}

/** An order to cancel, optionally only if it is in one given state. */
export interface CancelReference extends OrderReference {
  readonly onlyIf?: CancelCondition;
}

/**
 * New terms of an order. `price` is in ticks, 0 to leave it unchanged; `qty` is the new total quantity in lots. See
 * AmendOrder.
 */
export type AmendTerms = Pick<AmendOrder, "price" | "qty" | "side" | "growsNot">;

/**
 * Receives the outcome of an order command: the resulting order or the refusal, the seq of the reply's last event, and
 * whether the order belongs to an earlier request with the same idempotency key.
 */
export type OrderOutcomeHandler = (
  outcome: OrderRecord | SurfaceError,
  lastSeq: number,
  isRepeated: boolean,
) => void;

/** Answers `call` with the order as `answer` renders it, or with the refusal. */
export function answering(
  call: HttpCall,
  answer: (order: OrderRecord, lastSeq: number) => void,
): OrderOutcomeHandler {
  return (outcome, lastSeq) => {
    if ("code" in outcome) refuse(call, outcome);
    else answer(outcome, lastSeq);
  };
}

/** The order id fields of a command; the venue's id takes precedence. */
function namedOrder({ market, orderId, clientId }: OrderReference) {
  const isById = orderId !== undefined;
  return {
    market: market.id,
    orderId: orderId ?? 0,
    clientId: isById ? "" : (clientId ?? ""),
  };
}

export class OrderFlow {
  readonly #context: RouteContext;
  readonly #errors: ErrorMap;
  readonly #unknownToAmend: SurfaceError;

  /** Creates the operations; `unknownToAmend` is the error for an amendment of an order that is not open. */
  constructor(
    context: RouteContext,
    errors: ErrorMap,
    unknownToAmend: SurfaceError = errors[RejectReason.unknownOrder],
  ) {
    this.#context = context;
    this.#errors = errors;
    this.#unknownToAmend = unknownToAmend;
  }

  /**
   * Refuses an account that is not allowed to place orders in markets of `kind`. Called before the request's parameters
   * are read; clearing checks again when the order arrives. Spec AUT-14.
   */
  refuseIfBarred({ account }: Pick<Caller, "account">, kind: MarketKind): void {
    const reason = accountGate(this.#context.model.state, account, kind);
    if (reason !== RejectReason.none) refused(this.#errors[reason]);
  }

  /** Sends an order and reports its state after matching. */
  place(request: CommandRequest, order: PlaceOrder, onOutcome: OrderOutcomeHandler): void {
    if (this.isStale(order)) onOutcome(ledgerStale, 0, false);
    else this.#send(request, order, "orders", onOutcome);
  }

  /** Returns whether the order would spend from a wallet whose ledger holdings are unknown. Spec SET-17. */
  isStale({ account, market }: Pick<PlaceOrder, "account" | "market">): boolean {
    const { model, table, isLedgerStale } = this.#context;
    if (!model.state.accounts.isWallet(account)) return false;
    return table.markets[market]?.kind === MarketKind.spot && isLedgerStale();
  }

  /** Cancels one order; `answer` renders its final state. */
  cancel(
    call: HttpCall,
    { account }: Caller,
    reference: CancelReference,
    answer: (order: OrderRecord, lastSeq: number) => void,
  ): void {
    this.withdraw(call, account, reference, answering(call, answer));
  }

  /** Cancels one order and reports its final state. */
  withdraw(
    request: CommandRequest,
    account: number,
    reference: CancelReference,
    onOutcome: OrderOutcomeHandler,
  ): void {
    const { market, ...named } = namedOrder(reference);
    const { onlyIf = CancelCondition.always } = reference;
    const lane = named.orderId > 0 ? "cancels" : this.#laneOf(account);
    const command = { kind: CommandKind.cancelOrder, account, market, ...named, onlyIf } as const;
    this.#send(request, command, lane, onOutcome);
  }

  /** Amends an open order and reports its new state. */
  amend(
    request: CommandRequest,
    account: number,
    reference: OrderReference,
    terms: AmendTerms,
    onOutcome: OrderOutcomeHandler,
  ): void {
    const named = namedOrder(reference);
    const command = { kind: CommandKind.amendOrder, account, ...named, ...terms } as const;
    this.#send(request, command, "orders", onOutcome);
  }

  /** Cancels every open order of the account in the market; `answer` receives the cancelled orders. */
  cancelAll(
    call: HttpCall,
    caller: Pick<Caller, "account">,
    market: Market,
    answer: (orders: readonly OrderRecord[], lastSeq: number) => void,
  ): void {
    const { bridge, model } = this.#context;
    const { account } = caller;
    const command = { kind: CommandKind.cancelAllOrders, account, market: market.id } as const;
    model.cancels.begin(account);
    const isSent = bridge.send(command, this.#laneOf(account), call, (reply) => {
      const { subject: count, lastSeq } = reply;
      const orders = model.cancels.end(account, market.id, { count, lastSeq });
      if (reply.reason !== RejectReason.none) refuse(call, this.#errors[reply.reason]);
      else answer(orders, lastSeq);
    });
    if (isSent) return;
    model.cancels.end(account, market.id, { count: 0, lastSeq: 0 });
    refuse(call, notExecuted);
  }

  /** Cancels the open orders that `covered` describes; the reply's subject is their number. */
  cancelCovered(
    call: HttpCall,
    covered: Omit<UnstampedCancelOrders, "kind">,
    onReply: (reply: Reply) => void,
  ): void {
    const command = { kind: CommandKind.cancelOrders, ...covered };
    const { bridge } = this.#context;
    if (!bridge.send(command, this.#laneOf(covered.account), call, onReply))
      refuse(call, notExecuted);
  }

  /**
   * Finds an order in memory or, if it is not there, in SQL. Before it looks into SQL, it waits for commands in flight,
   * because one of them may place the order. So it does before it answers with a closed order that was found by the
   * client's own id: the id may have been used again. Refuses with `unknown` if the account has no such order in the market.
   */
  async find(
    { account }: Pick<Caller, "account">,
    reference: OrderReference,
    unknown: SurfaceError = orderUnknownToQuery,
  ): Promise<OrderRecord> {
    const { bridge, isSoleFront } = this.#context;
    let found = this.#remembered(account, reference);
    // The command that places the order may be in flight on another front. A barrier in clearing waits for it too.
    const isFinal =
      found !== undefined && (idOf(reference) > 0 || found.status === OrderStatus.open);
    if (!isFinal && (!isSoleFront || bridge.hasInFlight(account))) {
      found = await new Promise<OrderRecord | undefined>((resolve, reject) => {
        const isSent = bridge.barrier(({ reason }) => {
          // A barrier that was refused says nothing of the order.
          if (reason !== RejectReason.none) reject(new Refusal(this.#errors[reason]));
          else resolve(this.#remembered(account, reference));
        });
        if (!isSent) reject(new Refusal(notExecuted));
      });
    }
    const order = found ?? (await this.#recall(account, reference));
    return order?.market === reference.market.id ? order : refused(unknown);
  }

  /** The lane of a cancel without an order id. The cancel must not overtake a command whose order it would cancel. */
  #laneOf(account: number): CommandLane {
    return this.#context.bridge.hasInFlight(account) ? "orders" : "cancels";
  }

  /** Sends a command about one order; the reply's subject is the id of that order. */
  #send(
    request: CommandRequest,
    command: UnstampedOrderCommand,
    lane: CommandLane,
    onOutcome: OrderOutcomeHandler,
  ): void {
    const { bridge, model, history, log } = this.#context;
    const { account } = command;
    const isSent = bridge.send(command, lane, request, (reply) => {
      const { reason, subject, lastSeq, isRepeated } = reply;
      if (reason !== RejectReason.none) {
        onOutcome(this.#refusal(command.kind, reply), lastSeq, false);
        return;
      }
      const order = model.order(account, subject);
      if (order !== undefined) {
        onOutcome(order, lastSeq, isRepeated);
        return;
      }
      history.orderById(account, subject).then(
        (row) => onOutcome(row ?? unexpected, lastSeq, isRepeated),
        (fault: unknown) => {
          log.error({ fault, account, orderId: subject }, "failed to read an order");
          onOutcome(unexpected, lastSeq, isRepeated);
        },
      );
    });
    if (!isSent) onOutcome(notExecuted, 0, false);
  }

  #refusal(kind: CommandKind, { reason, subject }: Reply): SurfaceError {
    const isAmend = kind === CommandKind.amendOrder;
    if (isAmend && reason === RejectReason.unknownOrder) return this.#unknownToAmend;
    const error = this.#errors[reason];
    // The native surface does not name the limit.
    if (!isOrderLimit(reason) || error.code === 0) return error;
    return tooManyRequests(
      subject,
      reason === RejectReason.tooManyOrdersIn10s ? "orders10s" : "orders1m",
    );
  }

  #remembered(account: number, reference: OrderReference): OrderRecord | undefined {
    const { model } = this.#context;
    const { clientId } = reference;
    const id = idOf(reference);
    return id > 0 || clientId === undefined
      ? model.order(account, id)
      : model.orderByClientId(account, clientId);
  }

  #recall(account: number, reference: OrderReference): Promise<OrderRecord | null> {
    const { history } = this.#context;
    const { clientId } = reference;
    const id = idOf(reference);
    return id > 0 || clientId === undefined
      ? history.orderById(account, id)
      : history.orderByClientId(account, clientId);
  }
}
