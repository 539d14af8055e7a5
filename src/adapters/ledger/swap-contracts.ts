// Reads the contracts of a swap from created events. Anyone may create contracts that name the operator, so any field
// may be missing or wrong. Such a field is read as null, which matches no terms.

import { parseLedgerAmount } from "../../core/money/ledger-amount.ts";
import type { VenueTemplates } from "../../ports/ledger/ledger.ts";
import type { SwapContract, SwapPayment } from "../../ports/swaps/swap-ledger.ts";
import type { CreatedEvent } from "./api-shapes.ts";
import { viewIn } from "./update-parsing.ts";

/** Maximum number of payments of a swap. */
const legsMax = 4;

type Json = Readonly<Record<string, unknown>>;

function json(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function time(value: unknown): number | null {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** Returns the payment as a list of one; the list is empty if a field is malformed. */
function paymentOf(value: unknown, legId: unknown): SwapPayment[] {
  const leg = json(value);
  const instrument = json(leg["instrumentId"]);
  const amount = parseLedgerAmount(text(leg["amount"]) ?? "");
  const [id, sender, receiver] = [text(legId), text(leg["sender"]), text(leg["receiver"])];
  const [admin, name] = [text(instrument["admin"]), text(instrument["id"])];
  if (id === null || sender === null || receiver === null) return [];
  if (admin === null || name === null || amount === null) return [];
  return [{ legId: id, sender, receiver, instrument: { admin, id: name }, amount }];
}

/** Compares template names. The id may start with the package hash, so only the rest of it is compared. */
function isOf(templateId: string, template: string): boolean {
  const tail = (name: string) => name.slice(name.indexOf(":"));
  return tail(templateId) === tail(template);
}

function isSignedBy({ signatories }: CreatedEvent, parties: readonly unknown[]): boolean {
  return parties.every((party) => typeof party === "string" && signatories.includes(party));
}

/** Returns the swap contract that an event created; empty if it created none. */
export function swapContractsOf(event: CreatedEvent, templates: VenueTemplates): SwapContract[] {
  const { templateId } = event;
  if (isOf(templateId, templates.swapProposal)) return termsIn(event, "proposal");
  if (isOf(templateId, templates.swapTrade)) return termsIn(event, "trade");
  return allocationIn(event);
}

function termsIn(event: CreatedEvent, kind: "proposal" | "trade"): SwapContract[] {
  const payload = json(event.createArgument);
  const swapId = text(payload["swapId"]);
  const signers = kind === "trade" ? ["trader", "provider"] : ["trader"];
  // A contract of another package may contain anything. It counts only if all parties that it binds have signed it.
  if (
    swapId === null ||
    !isSignedBy(
      event,
      signers.map((name) => payload[name]),
    )
  )
    return [];
  const given = Array.isArray(payload["legs"]) ? payload["legs"].slice(0, legsMax) : [];
  return [
    {
      contractId: event.contractId,
      kind,
      swapId,
      offset: event.offset,
      trader: text(payload["trader"]),
      provider: text(payload["provider"]),
      legs: given.flatMap((leg) => paymentOf(leg, json(leg)["legId"])),
      executor: text(payload["operator"]),
      allocateBeforeMs: time(payload["allocateBefore"]),
      settleBeforeMs: time(payload["settleBefore"]),
    },
  ];
}

function allocationIn(event: CreatedEvent): SwapContract[] {
  const view = json(viewIn(event, ":Splice.Api.Token.AllocationV1:Allocation"));
  const allocation = json(view["allocation"]);
  const settlement = json(allocation["settlement"]);
  const swapId = text(json(settlement["settlementRef"])["id"]);
  const legs = paymentOf(allocation["transferLeg"], allocation["transferLegId"]);
  const [leg] = legs;
  if (swapId === null || leg === undefined) return [];
  // Accept a lock only if the instrument's admin and the coins' owner have signed it.
  if (!isSignedBy(event, [leg.instrument.admin, leg.sender])) return [];
  return [
    {
      contractId: event.contractId,
      kind: "allocation",
      swapId,
      offset: event.offset,
      trader: null,
      provider: null,
      legs,
      executor: text(settlement["executor"]),
      allocateBeforeMs: time(settlement["allocateBefore"]),
      settleBeforeMs: time(settlement["settleBefore"]),
    },
  ];
}
