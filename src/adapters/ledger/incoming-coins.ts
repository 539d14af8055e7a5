// Payments to custody as a transaction shows them: which of the coins it created came from whom, and for
// what. A coin lies within the choices that made it; the innermost one that names a sender says who paid.
// What a member's authority moved is a settlement, and what nobody sent came from the faucet.

import type { IncomingCoin, Party } from "../../ports/ledger/ledger.ts";
import type { ApiTransaction, ExercisedEvent } from "./api-shapes.ts";
import { metadataKeys } from "./network-profile.ts";
import { holdingsOf } from "./update-parsing.ts";

const settlementTemplate = ":Venue.Member:MemberAuth";

/** References of others are read up to here; ours are far shorter. */
const referenceLengthMax = 200;

interface Payment {
  readonly sender: Party;
  readonly reference: string | null;
}

export function incomingCoins(transaction: ApiTransaction, custody: Party): IncomingCoin[] {
  const choices = transaction.events.flatMap(({ ExercisedEvent }) => ExercisedEvent ?? []);
  const { updateId, recordTime } = transaction;
  return transaction.events.flatMap(({ CreatedEvent: created }) => {
    if (created === undefined) return [];
    const around = choices.filter(
      ({ nodeId, lastDescendantNodeId: last }) => nodeId < created.nodeId && created.nodeId <= last,
    );
    if (around.some(({ templateId }) => templateId.endsWith(settlementTemplate))) return [];
    const payment = around.map(paymentOf).findLast((each) => each !== null) ?? null;
    if (payment === null || payment.sender === custody) return [];
    return holdingsOf(created)
      .filter(({ owner, isLocked }) => owner === custody && !isLocked)
      .map((holding) => ({ holding, updateId, recordTime, ...payment }));
  });
}

/** Who pays by a choice, where it says so: as a field of its own, or in the transfer it carries. */
function paymentOf({ choiceArgument }: ExercisedEvent): Payment | null {
  const argument = recordOf(choiceArgument);
  const transfer = recordOf(argument["transfer"] ?? argument);
  const { sender } = transfer;
  if (typeof sender !== "string") return null;
  const text = recordOf(recordOf(transfer["meta"])["values"])[metadataKeys.reason];
  const reference = typeof text === "string" ? text.slice(0, referenceLengthMax) : null;
  return { sender, reference };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === "object" && value !== null;
  return isRecord ? (value as Readonly<Record<string, unknown>>) : {};
}
