// Commands to bytes and back, by kind: from a front or the main thread to clearing.
// Numbers a client can influence pass through whatever their sign or size, as long as they are safe
// integers: refusing them is clearing's business. Records are never stored and have no stable format.

import { assert, unreachable } from "../../core/assert.ts";
import { type Command, CommandKind } from "../../core/commands.ts";
import { clientIdBytesMax } from "../../core/limits.ts";
import * as about from "./account-command-codec.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import * as layout from "./command-layout.ts";
import * as custody from "./custody-codec.ts";
import * as market from "./market-codec.ts";
import * as order from "./order-command-codec.ts";
import * as price from "./price-codec.ts";
import type { RecordViews } from "./record-views.ts";
import * as reward from "./reward-codec.ts";
import * as session from "./session-codec.ts";
import * as swap from "./swap-codec.ts";

const fixedBytes: Readonly<Record<CommandKind, number>> = {
  [CommandKind.placeOrder]: layout.placeOrderLayout.size,
  [CommandKind.cancelOrder]: layout.cancelOrderLayout.size,
  [CommandKind.cancelAllOrders]: layout.cancelAllOrdersLayout.size,
  [CommandKind.setLeverage]: layout.setLeverageLayout.size,
  [CommandKind.transfer]: layout.transferLayout.size,
  [CommandKind.openAccount]: layout.openAccountLayout.size,
  [CommandKind.credit]: layout.creditLayout.size,
  [CommandKind.setAccountFlags]: layout.setAccountFlagsLayout.size,
  [CommandKind.registerKey]: layout.registerKeyLayout.size,
  [CommandKind.changeKey]: layout.changeKeyLayout.size,
  [CommandKind.setMarketStatus]: layout.setMarketStatusLayout.size,
  [CommandKind.setAccountType]: layout.openAccountLayout.size,
  [CommandKind.addMarket]: layout.addMarketLayout.size,
  [CommandKind.fence]: layout.commandHeaderLayout.size,
  [CommandKind.tick]: layout.commandHeaderLayout.size,
  [CommandKind.settleFunding]: layout.commandHeaderLayout.size,
  [CommandKind.claimReward]: layout.commandHeaderLayout.size,
  [CommandKind.bindWallet]: layout.commandHeaderLayout.size,
  [CommandKind.deposit]: layout.depositLayout.size,
  [CommandKind.requestWithdrawal]: layout.requestWithdrawalLayout.size,
  [CommandKind.endWithdrawal]: layout.endWithdrawalLayout.size,
  [CommandKind.settleCoins]: layout.settleCoinsLayout.size,
  [CommandKind.recordSwapMove]: layout.recordSwapMoveLayout.size,
  [CommandKind.setReferrer]: layout.setReferrerLayout.size,
  [CommandKind.amendOrder]: layout.amendOrderLayout.size,
  [CommandKind.setCountdown]: layout.setCountdownLayout.size,
  [CommandKind.openSession]: layout.openSessionLayout.size,
  [CommandKind.closeSession]: layout.closeSessionLayout.size,
  [CommandKind.setReference]: layout.setReferenceLayout.size,
  [CommandKind.setRiskTerm]: layout.setRiskTermLayout.size,
  [CommandKind.refillFund]: layout.refillFundLayout.size,
  [CommandKind.setSessionKey]: layout.setSessionKeyLayout.size,
};

function hasClientId(kind: CommandKind): boolean {
  return (
    kind === CommandKind.placeOrder ||
    kind === CommandKind.cancelOrder ||
    kind === CommandKind.amendOrder
  );
}

/** Bytes that `command` takes when encoded: what to claim in a ring. */
export function commandBytes(command: Command): number {
  if (!("clientId" in command)) return fixedBytes[command.kind];
  assert(command.clientId.length <= clientIdBytesMax, "a client id of at most 36 characters");
  const fixed =
    command.kind === CommandKind.placeOrder
      ? order.placeOrderBytes(command)
      : fixedBytes[command.kind];
  return fixed + command.clientId.length;
}

/** Writes `command` at byte `offset` (a multiple of 8) of `views`; returns its bytes. */
export function encodeCommand(views: RecordViews, offset: number, command: Command): number {
  switch (command.kind) {
    case CommandKind.placeOrder:
      return order.encodePlaceOrder(views, offset, command);
    case CommandKind.cancelOrder:
      return order.encodeCancelOrder(views, offset, command);
    case CommandKind.cancelAllOrders:
      return order.encodeCancelAllOrders(views, offset, command);
    case CommandKind.amendOrder:
      return order.encodeAmendOrder(views, offset, command);
    case CommandKind.setCountdown:
      return order.encodeSetCountdown(views, offset, command);
    case CommandKind.setLeverage:
      return about.encodeSetLeverage(views, offset, command);
    case CommandKind.transfer:
      return about.encodeTransfer(views, offset, command);
    case CommandKind.openAccount:
    case CommandKind.setAccountType:
      return about.encodeOpenAccount(views, offset, command);
    case CommandKind.credit:
      return about.encodeCredit(views, offset, command);
    case CommandKind.setAccountFlags:
      return about.encodeSetAccountFlags(views, offset, command);
    case CommandKind.registerKey:
      return about.encodeRegisterKey(views, offset, command);
    case CommandKind.changeKey:
      return about.encodeChangeKey(views, offset, command);
    case CommandKind.setMarketStatus:
      return market.encodeSetMarketStatus(views, offset, command);
    case CommandKind.addMarket:
      return market.encodeAddMarket(views, offset, command);
    case CommandKind.openSession:
      return session.encodeOpenSession(views, offset, command);
    case CommandKind.closeSession:
      return session.encodeCloseSession(views, offset, command);
    case CommandKind.setSessionKey:
      return session.encodeSetSessionKey(views, offset, command);
    case CommandKind.setReferrer:
      return reward.encodeSetReferrer(views, offset, command);
    case CommandKind.setReference:
      return price.encodeSetReference(views, offset, command);
    case CommandKind.setRiskTerm:
      return price.encodeSetRiskTerm(views, offset, command);
    case CommandKind.refillFund:
      return about.encodeRefillFund(views, offset, command);
    case CommandKind.bindWallet:
    case CommandKind.deposit:
    case CommandKind.requestWithdrawal:
    case CommandKind.endWithdrawal:
    case CommandKind.settleCoins:
      return custody.encodeCustodyCommand(views, offset, command);
    case CommandKind.recordSwapMove:
      return swap.encodeRecordSwapMove(views, offset, command);
    case CommandKind.fence:
    case CommandKind.tick:
    case CommandKind.settleFunding:
    case CommandKind.claimReward:
      writeCommandHeader(views, offset, command, 0);
      return layout.commandHeaderLayout.size;
    default:
      return unreachable(command);
  }
}

/**
 * The command in the `length` bytes at byte `offset` (a multiple of 8) of `views`. Asserts a known
 * kind, codes of their sets and exactly the length of its kind and client id.
 */
export function decodeCommand(views: RecordViews, offset: number, length: number): Command {
  const at = layout.commandHeaderLayout;
  assert(length >= at.size, "a command has a header");
  const kind = views.u8[offset + at.kind] as CommandKind;
  const idLength = views.u8[offset + at.clientIdLength] as number;
  assert(idLength <= clientIdBytesMax, "a client id of at most 36 characters");
  assert(idLength === 0 || hasClientId(kind), "a client id only where there can be one");
  const fixed =
    kind === CommandKind.placeOrder ? order.placedBytes(views, offset) : fixedBytes[kind];
  assert(fixed + idLength === length, "a command has the length of its kind");
  switch (kind) {
    case CommandKind.placeOrder:
      return order.decodePlaceOrder(views, offset);
    case CommandKind.cancelOrder:
      return order.decodeCancelOrder(views, offset);
    case CommandKind.cancelAllOrders:
      return order.decodeCancelAllOrders(views, offset);
    case CommandKind.amendOrder:
      return order.decodeAmendOrder(views, offset);
    case CommandKind.setCountdown:
      return order.decodeSetCountdown(views, offset);
    case CommandKind.setLeverage:
      return about.decodeSetLeverage(views, offset);
    case CommandKind.transfer:
      return about.decodeTransfer(views, offset);
    case CommandKind.openAccount:
    case CommandKind.setAccountType:
      return about.decodeOpenAccount(views, offset, kind);
    case CommandKind.credit:
      return about.decodeCredit(views, offset);
    case CommandKind.setAccountFlags:
      return about.decodeSetAccountFlags(views, offset);
    case CommandKind.registerKey:
      return about.decodeRegisterKey(views, offset);
    case CommandKind.changeKey:
      return about.decodeChangeKey(views, offset);
    case CommandKind.setMarketStatus:
      return market.decodeSetMarketStatus(views, offset);
    case CommandKind.addMarket:
      return market.decodeAddMarket(views, offset);
    case CommandKind.openSession:
      return session.decodeOpenSession(views, offset);
    case CommandKind.closeSession:
      return session.decodeCloseSession(views, offset);
    case CommandKind.setSessionKey:
      return session.decodeSetSessionKey(views, offset);
    case CommandKind.setReferrer:
      return reward.decodeSetReferrer(views, offset);
    case CommandKind.setReference:
      return price.decodeSetReference(views, offset);
    case CommandKind.setRiskTerm:
      return price.decodeSetRiskTerm(views, offset);
    case CommandKind.refillFund:
      return about.decodeRefillFund(views, offset);
    case CommandKind.bindWallet:
    case CommandKind.deposit:
    case CommandKind.requestWithdrawal:
    case CommandKind.endWithdrawal:
    case CommandKind.settleCoins:
      return custody.decodeCustodyCommand(views, offset, kind);
    case CommandKind.recordSwapMove:
      return swap.decodeRecordSwapMove(views, offset);
    case CommandKind.fence:
    case CommandKind.tick:
    case CommandKind.settleFunding:
    case CommandKind.claimReward:
      return readCommandHeader(views, offset, kind);
    default:
      return unreachable(kind);
  }
}
