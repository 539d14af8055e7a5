// Renders transactions and contracts as a reader sees them: only the events that the reader's parties can see (their
// `witnesses`) and that the reader's filters accept, in the requested shape and with the views of the requested
// interfaces.

import type { Party } from "../ports/ledger/ledger.ts";
import { type Contract, packageOf } from "./contract-template.ts";
import type { UpdateRow } from "./devnet-store.ts";
import type { Disclosure } from "./disclosure.ts";
import { Fields } from "./fields.ts";
import type { TransactionNode } from "./interpreter.ts";
import { LedgerRefusal } from "./ledger-refusal.ts";
import { templates } from "./template-registry.ts";

type Filter =
  | { readonly kind: "wildcard"; readonly hasBlob: boolean }
  | { readonly kind: "template"; readonly id: string; readonly hasBlob: boolean }
  | {
      readonly kind: "interface";
      readonly id: string;
      readonly hasView: boolean;
      readonly hasBlob: boolean;
    };

/** A reader's request: filters by party, and whether choices are included. */
export interface View {
  readonly filters: ReadonlyMap<Party, readonly Filter[]>;
  readonly isWithChoices: boolean;
}

/** Reads an `EventFormat`; refuses a format without a party. */
export function readView(format: Fields, isWithChoices: boolean): View {
  const byParty = format.object("filtersByParty").json;
  const filters = new Map<Party, Filter[]>();
  for (const [party, given] of Object.entries(byParty)) {
    const fields = new Fields(given, "filtersByParty");
    const cumulative = fields.has("cumulative") ? fields.objects("cumulative") : [];
    const read = cumulative.map((each) => readFilter(each.object("identifierFilter")));
    // Without a filter, the party sees everything.
    filters.set(party, read.length > 0 ? read : [{ kind: "wildcard", hasBlob: false }]);
  }
  if (filters.size === 0)
    throw new LedgerRefusal("INVALID_ARGUMENT", "filtersByParty: expected a party");
  return { filters, isWithChoices };
}

/** Reads an `UpdateFormat`, or the `TransactionFormat` that it contains. */
export function readTransactionView(format: Fields): View {
  const shape = format.text("transactionShape");
  if (shape !== "TRANSACTION_SHAPE_ACS_DELTA" && shape !== "TRANSACTION_SHAPE_LEDGER_EFFECTS")
    throw new LedgerRefusal("INVALID_ARGUMENT", "transactionShape: expected a known shape");
  const isWithChoices = shape === "TRANSACTION_SHAPE_LEDGER_EFFECTS";
  return readView(format.object("eventFormat"), isWithChoices);
}

function readFilter(fields: Fields): Filter {
  const flag = (value: Fields, name: string) => value.json[name] === true;
  const wildcard = fields.optional("WildcardFilter")?.object("value");
  if (wildcard) return { kind: "wildcard", hasBlob: flag(wildcard, "includeCreatedEventBlob") };
  const template = fields.optional("TemplateFilter")?.object("value");
  if (template) {
    const hasBlob = flag(template, "includeCreatedEventBlob");
    return { kind: "template", id: template.text("templateId"), hasBlob };
  }
  const named = fields.optional("InterfaceFilter")?.object("value");
  if (!named) return { kind: "wildcard", hasBlob: false };
  return {
    kind: "interface",
    id: named.text("interfaceId"),
    hasView: flag(named, "includeInterfaceView"),
    hasBlob: flag(named, "includeCreatedEventBlob"),
  };
}

function interfacesOf(templateId: string): string[] {
  const template = templates.get(templateId);
  if (template === undefined) return [];
  const ofChoices = Object.values(template.choices).flatMap(({ interfaceId }) => interfaceId ?? []);
  return [...new Set(ofChoices)];
}

function viewsOf(contract: Contract): Readonly<Record<string, object>> {
  return templates.get(contract.templateId)?.views(new Fields(contract.payload, "")) ?? {};
}

/** Returns the filters that accept a contract of this template, among the filters of `witnesses`. */
function matching(view: View, witnesses: readonly Party[], contract: Contract): Filter[] {
  const views = viewsOf(contract);
  const own = interfacesOf(contract.templateId);
  const isThrough = (filter: Filter) => {
    if (filter.kind === "wildcard") return true;
    if (filter.kind === "template") return filter.id === contract.templateId;
    return Object.hasOwn(views, filter.id) || own.includes(filter.id);
  };
  return witnesses.flatMap((party) => view.filters.get(party) ?? []).filter(isThrough);
}

export class EventViews {
  readonly #disclosure: Disclosure;
  readonly #synchronizerId: string;

  constructor(disclosure: Disclosure, synchronizerId: string) {
    this.#disclosure = disclosure;
    this.#synchronizerId = synchronizerId;
  }

  /** Returns a `JsTransaction`, or null if the view shows none of the transaction's events. */
  transaction(row: UpdateRow, view: View): object | null {
    const consumedHere = new Set(
      row.nodes.filter(({ isConsuming }) => isConsuming).map(({ contractId }) => contractId),
    );
    const createdHere = new Set(
      row.nodes.filter(({ kind }) => kind === "create").map(({ contractId }) => contractId),
    );
    const isTransient = (id: string) => consumedHere.has(id) && createdHere.has(id);
    const events = row.nodes
      .filter(({ contractId }) => view.isWithChoices || !isTransient(contractId))
      .flatMap((node) => this.#event(row, node, view) ?? []);
    if (events.length === 0) return null;
    // Only a party that submitted the transaction is told the name of the command.
    const isSubmitter = row.act_as.some((party) => view.filters.has(party));
    return {
      updateId: row.update_id,
      commandId: isSubmitter ? row.command_id : "",
      workflowId: row.workflow_id,
      effectiveAt: row.record_time,
      events,
      offset: row.offset,
      synchronizerId: this.#synchronizerId,
      recordTime: row.record_time,
      paidTrafficCost: row.traffic_cost,
    };
  }

  /** Returns the `CreatedEvent` of a contract, or null if the view does not show it. */
  created(
    contract: Contract,
    nodeId: number,
    witnesses: readonly Party[],
    view: View,
  ): object | null {
    const filters = matching(view, witnesses, contract);
    if (filters.length === 0) return null;
    const views = viewsOf(contract);
    const wanted = new Set(
      filters.flatMap((filter) =>
        filter.kind === "interface" && filter.hasView ? [filter.id] : [],
      ),
    );
    const { contractId, templateId, payload, signatories, observers } = contract;
    const packageName = packageOf(templateId);
    return {
      offset: contract.createdOffset,
      nodeId,
      contractId,
      templateId,
      contractKey: null,
      createArgument: payload,
      createdEventBlob: filters.some(({ hasBlob }) => hasBlob)
        ? this.#disclosure.blobOf(contract)
        : "",
      interfaceViews: [...wanted].flatMap((interfaceId) =>
        Object.hasOwn(views, interfaceId)
          ? [{ interfaceId, viewStatus: { code: 0, message: "" }, viewValue: views[interfaceId] }]
          : [],
      ),
      witnessParties: witnesses.filter((party) => view.filters.has(party)),
      signatories,
      observers,
      createdAt: contract.createdAt,
      packageName,
      representativePackageId: packageName,
      acsDelta: true,
    };
  }

  #event(row: UpdateRow, node: TransactionNode, view: View): object | null {
    const { contractId, templateId, nodeId } = node;
    const readers = view.isWithChoices ? node.witnesses : node.stakeholders;
    const witnesses = readers.filter((party) => view.filters.has(party));
    if (witnesses.length === 0) return null;
    if (node.kind === "create") {
      const created = this.created(contractOf(row, node), nodeId, witnesses, view);
      return created === null ? null : { CreatedEvent: created };
    }
    if (matching(view, witnesses, contractOf(row, node)).length === 0) return null;
    const common = { offset: row.offset, nodeId, contractId, templateId };
    const packageName = packageOf(templateId);
    const witnessParties = witnesses;
    if (!view.isWithChoices) {
      if (!node.isConsuming) return null;
      const implementedInterfaces = interfacesOf(templateId);
      return { ArchivedEvent: { ...common, witnessParties, packageName, implementedInterfaces } };
    }
    return {
      ExercisedEvent: {
        ...common,
        interfaceId: node.interfaceId,
        choice: node.choice,
        choiceArgument: node.argument,
        actingParties: node.acting,
        consuming: node.isConsuming,
        witnessParties,
        lastDescendantNodeId: node.lastDescendant,
        exerciseResult: node.result,
        packageName,
        implementedInterfaces: interfacesOf(templateId),
        acsDelta: node.isConsuming,
      },
    };
  }
}

/** Returns the contract of a node. Only a create node has the payload; for an exercise the payload is empty. */
function contractOf(row: UpdateRow, node: TransactionNode): Contract {
  const { contractId, templateId } = node;
  const signatories = node.signatories;
  const observers = node.stakeholders.filter((party) => !signatories.includes(party));
  const createdAt = row.record_time;
  const payload = node.kind === "create" ? node.argument : {};
  return {
    contractId,
    templateId,
    payload,
    signatories,
    observers,
    createdOffset: row.offset,
    createdAt,
  };
}
