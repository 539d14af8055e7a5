// Commands of gateways: their times travel as durations, and a gateway may send only what clients can ask for.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandIdentity } from "./command-identity.ts";
import { fromDurations, isFromGateway, toDurations } from "./gateway-commands.ts";
import { type Command, CommandKind } from "./generated/commands.ts";
import { remainingMsMax } from "./limits.ts";

const gatewayUs = 5_000_000_000;
const leaderUs = 1_700_000_000_000_000;
const stamp = { source: 1, correlation: 1, account: 7, atUs: gatewayUs };

test("CMD-5 the leader's time decides: a gateway's clock moves neither event time nor deadlines", () => {
  for (const skewUs of [-3_600_000_000, 0, 3_600_000_000]) {
    const nowUs = gatewayUs + skewUs;
    const command: Command = {
      ...{ kind: CommandKind.setCountdown, ...stamp, atUs: nowUs },
      ...{ deadlineUs: nowUs + 2_000_000, market: 0, cancelAtUs: nowUs + 60_000_000 },
    };
    toDurations(command, nowUs + 500_000);
    assert.equal(command.atUs, 0);
    fromDurations(command, leaderUs);
    assert.equal(command.atUs, leaderUs);
    assert.equal(command.deadlineUs, leaderUs + 1_500_000);
    assert.equal(command.cancelAtUs, leaderUs + 59_500_000);
  }
});

test("CMD-5 what has passed stays passed, and what stops a countdown stays 0", () => {
  const command: Command = {
    ...{ kind: CommandKind.setCountdown, ...stamp },
    ...{ deadlineUs: gatewayUs + 1, market: 0, cancelAtUs: 0 },
  };
  toDurations(command, gatewayUs + 2);
  fromDurations(command, leaderUs);
  assert.equal(command.deadlineUs, leaderUs - 1);
  assert.equal(command.cancelAtUs, 0);
  const late = { ...command, deadlineUs: gatewayUs, cancelAtUs: gatewayUs };
  toDurations(late, gatewayUs + 9);
  fromDurations(late, leaderUs);
  assert.equal(late.cancelAtUs, leaderUs + 1, "a countdown that has run out does not stop");
});

test("CMD-5 a session lives as long at the leader as at the gateway", () => {
  const command: Command = {
    ...{ kind: CommandKind.openSession, ...stamp, deadlineUs: gatewayUs },
    ...{ sessionId: 1, expiresUs: gatewayUs + 86_400_000_000 },
  };
  toDurations(command, gatewayUs);
  fromDurations(command, leaderUs);
  assert.equal(command.expiresUs, leaderUs + 86_400_000_000);
});

test("CMD-5 a gateway cannot leave a command more than the longest time", () => {
  const command: Command = { kind: CommandKind.barrier, ...stamp, deadlineUs: 2 ** 52 };
  fromDurations(command, leaderUs);
  assert.equal(command.deadlineUs, leaderUs + remainingMsMax * 1000);
});

test("CMD-5 a gateway may send what clients can ask for, with an identity", () => {
  const identity: CommandIdentity = { origin: 1, lane: 0, number: 1, confirmedUpTo: 0 };
  const may = (kind: CommandKind, has: CommandIdentity | null, hasDevelopmentTools = false) =>
    isFromGateway({ kind, identity: has } as Command, { hasDevelopmentTools });
  assert(may(CommandKind.placeOrder, identity));
  assert(!may(CommandKind.placeOrder, null));
  assert(may(CommandKind.barrier, null));
  assert(may(CommandKind.registerOrigin, null));
  assert(!may(CommandKind.registerOrigin, identity));
  assert(!may(CommandKind.credit, identity));
  assert(may(CommandKind.credit, identity, true));
  const ofLeader = [
    ...(["tick", "deposit", "setMarketStatus", "setReference", "setRiskTerm"] as const),
    "stateLiabilities",
  ] as const;
  for (const kind of ofLeader) assert(!may(CommandKind[kind], identity, true), kind);
});
