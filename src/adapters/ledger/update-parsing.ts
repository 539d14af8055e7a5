// Converts the network's transactions and contracts to the port's types. Contracts of other packages are read only
// through their interface views; a view that does not match the standard is skipped.

import { parseLedgerAmount } from "../../core/money/ledger-amount.ts";
import type {
  Committed,
  Holding,
  LedgerContract,
  LedgerUpdate,
  Party,
  SeenAllocation,
  UpdatePage,
} from "../../ports/ledger/ledger.ts";
import type {
  ApiTransaction,
  CreatedEvent,
  EventFormat,
  IdentifierFilter,
  OffsetCheckpoint,
  TransactionFormat,
  UpdateEntry,
} from "./api-shapes.ts";
import { LedgerFault } from "./ledger-api-client.ts";
import { tokenInterfaces } from "./network-profile.ts";

/**
 * Returns a filter for every contract visible to any of `parties`, with views of holdings and allocations. Contracts of
 * the template `shown` include their blob.
 */
export function wholeView(parties: readonly Party[], shown?: string): EventFormat {
  const wildcard = { WildcardFilter: { value: { includeCreatedEventBlob: false } } };
  const views = [tokenInterfaces.holding, tokenInterfaces.allocation].map(interfaceFilter);
  const blobs = shown === undefined ? [] : [templateFilter(shown, true)];
  return viewOf(parties, [wildcard, ...views, ...blobs]);
}

export function holdingView(party: Party): EventFormat {
  return viewOf([party], [interfaceFilter(tokenInterfaces.holding)]);
}

export function allocationView(party: Party): EventFormat {
  return viewOf([party], [interfaceFilter(tokenInterfaces.allocation)]);
}

export function templateView(party: Party, templateId: string, hasBlob: boolean): EventFormat {
  return viewOf([party], [templateFilter(templateId, hasBlob)]);
}

function templateFilter(templateId: string, includeCreatedEventBlob: boolean): IdentifierFilter {
  return { TemplateFilter: { value: { templateId, includeCreatedEventBlob } } };
}

function interfaceFilter(interfaceId: string): IdentifierFilter {
  const value = { interfaceId, includeInterfaceView: true, includeCreatedEventBlob: false };
  return { InterfaceFilter: { value } };
}

function viewOf(parties: readonly Party[], filters: readonly IdentifierFilter[]): EventFormat {
  const cumulative = filters.map((identifierFilter) => ({ identifierFilter }));
  const filtersByParty = Object.fromEntries(parties.map((party) => [party, { cumulative }]));
  return { verbose: false, filtersByParty };
}

/** Returns a format with created and archived contracts but without choices; `shown` is as in `wholeView`. */
export function changesOf(parties: readonly Party[], shown?: string): TransactionFormat {
  return {
    transactionShape: "TRANSACTION_SHAPE_ACS_DELTA",
    eventFormat: wholeView(parties, shown),
  };
}

/** Returns a format that also contains the choices and the contracts they created. */
export function choicesOf(parties: readonly Party[]): TransactionFormat {
  return { transactionShape: "TRANSACTION_SHAPE_LEDGER_EFFECTS", eventFormat: wholeView(parties) };
}

export function committedOf(transaction: ApiTransaction): Committed {
  const { updateId, offset, recordTime, paidTrafficCost } = transaction;
  return {
    kind: "committed",
    updateId,
    offset,
    recordTime,
    trafficCost: paidTrafficCost ?? null,
    created: createdOf(transaction).map(contractOf),
  };
}

export function updateOf(transaction: ApiTransaction): LedgerUpdate {
  const { updateId, offset, recordTime, paidTrafficCost, commandId } = transaction;
  const created = createdOf(transaction);
  return {
    offset,
    updateId,
    // Servers leave out the command id, or leave it empty, for parties that did not submit the change.
    commandId: commandId || null,
    recordTime,
    trafficCost: paidTrafficCost ?? null,
    created: created.map(contractOf),
    holdings: created.flatMap(holdingsOf),
    allocations: created.flatMap(allocationsOf),
    archived: archivedIn(transaction),
  };
}

/**
 * Converts stream entries to a page of updates. The stream may repeat updates of the page. Throws if it delivers an
 * update for the first time after one with a higher offset: the reader relies on having read every update up to an
 * offset.
 */
export function pageOf(entries: readonly UpdateEntry[], after: number): UpdatePage {
  const seenOffsets = new Set<number>();
  const updates: LedgerUpdate[] = [];
  let through = after;
  let recordTime: string | null = null;
  // The last page ends with a checkpoint, or is empty.
  let isLast = entries.length === 0;
  for (const { update } of entries) {
    isLast = update?.OffsetCheckpoint !== undefined;
    const seen = update?.Transaction?.value ?? update?.OffsetCheckpoint?.value;
    if (seen === undefined) continue;
    if (seen.offset < through && !seenOffsets.has(seen.offset))
      throw new LedgerFault(
        {
          kind: "transport",
          message: `the update at offset ${seen.offset} arrived after offset ${through}`,
        },
        "updates out of order",
      );
    seenOffsets.add(seen.offset);
    if ("updateId" in seen) updates.push(updateOf(seen));
    through = Math.max(through, seen.offset);
    recordTime = timeOf(seen) ?? recordTime;
  }
  return { updates, through, recordTime, isLast };
}

function timeOf(seen: ApiTransaction | OffsetCheckpoint): string | null {
  if ("recordTime" in seen) return seen.recordTime;
  return seen.synchronizerTimes?.[0]?.recordTime ?? null;
}

export function createdOf(transaction: ApiTransaction): CreatedEvent[] {
  return transaction.events.flatMap(({ CreatedEvent }) => CreatedEvent ?? []);
}

/** Returns the ids of all contracts that a transaction archived. */
export function archivedIn({ events }: ApiTransaction): string[] {
  return events.flatMap(archivedOf);
}

function archivedOf(event: ApiTransaction["events"][number]): string[] {
  if (event.ArchivedEvent !== undefined) return [event.ArchivedEvent.contractId];
  const exercised = event.ExercisedEvent;
  return exercised?.consuming ? [exercised.contractId] : [];
}

export function contractOf(event: CreatedEvent): LedgerContract {
  const { contractId, templateId, createArgument, signatories, observers, offset } = event;
  const isRecord = typeof createArgument === "object" && createArgument !== null;
  const payload = isRecord ? (createArgument as Readonly<Record<string, unknown>>) : {};
  // Servers leave out the blob, or leave it empty, if it was not requested.
  const blob = event.createdEventBlob || null;
  return { contractId, templateId, payload, signatories, observers: observers ?? [], offset, blob };
}

interface HoldingView {
  readonly owner?: unknown;
  readonly instrumentId?: { readonly admin?: unknown; readonly id?: unknown };
  readonly amount?: unknown;
  readonly lock?: { readonly expiresAt?: unknown } | null;
}

interface AllocationView {
  readonly allocation?: {
    readonly settlement?: {
      readonly executor?: unknown;
      readonly settlementRef?: { readonly id?: unknown };
    };
    readonly transferLeg?: { readonly instrumentId?: { readonly admin?: unknown } };
  };
  readonly holdingCids?: unknown;
}

/** Returns the allocation that an event created; empty if it created none. */
function allocationsOf(event: CreatedEvent): SeenAllocation[] {
  const { contractId } = event;
  const view = viewIn(event, ":Splice.Api.Token.AllocationV1:Allocation") as AllocationView | null;
  const { executor, settlementRef } = view?.allocation?.settlement ?? {};
  const admin = view?.allocation?.transferLeg?.instrumentId?.admin;
  const { id: reference } = settlementRef ?? {};
  if (typeof executor !== "string" || typeof reference !== "string") return [];
  if (typeof admin !== "string" || !Array.isArray(view?.holdingCids)) return [];
  const holdings = view.holdingCids.filter((each) => typeof each === "string");
  return [{ contractId, admin, executor, reference, holdings }];
}

/** Returns the view of the interface that ends in `suffix`. Answers may name its package by a hash. */
export function viewIn({ interfaceViews }: CreatedEvent, suffix: string): unknown {
  return interfaceViews?.find(({ interfaceId }) => interfaceId.endsWith(suffix))?.viewValue ?? null;
}

/** Returns the holding that an event created; empty if it created none. */
export function holdingsOf(event: CreatedEvent): Holding[] {
  const { contractId, offset: createdOffset } = event;
  const view = viewIn(event, ":Splice.Api.Token.HoldingV1:Holding") as HoldingView | null;
  const { admin, id } = view?.instrumentId ?? {};
  const amount = typeof view?.amount === "string" ? parseLedgerAmount(view.amount) : null;
  const { owner } = view ?? {};
  if (amount === null || amount < 0n) return [];
  if (typeof owner !== "string" || typeof admin !== "string" || typeof id !== "string") return [];
  const lock = view?.lock ?? null;
  const untilMs = typeof lock?.expiresAt === "string" ? Date.parse(lock.expiresAt) : Number.NaN;
  const lockedUntilMs = Number.isNaN(untilMs) ? null : untilMs;
  const instrument = { admin, id };
  return [
    {
      ...{ contractId, owner, instrument, amount, createdOffset, lockedUntilMs },
      isLocked: lock !== null,
    },
  ];
}
