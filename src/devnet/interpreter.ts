// Runs the commands of one submission against the active contracts and returns the resulting transaction: its nodes in
// depth-first order, and the contracts that it consumed and created. Nothing is changed. At the root, a command has the
// authority of the acting parties; inside a choice, it has the authority of the contract's signatories and the choice's
// controllers. A command can see the contracts of the acting and reading parties, disclosed contracts, and contracts
// that the transaction created. A contract is consumed at most once.

import type { ApiCommand, JsonObject } from "../adapters/ledger/api-shapes.ts";
import type { ContractId, Instrument, Party } from "../ports/ledger/ledger.ts";
import type { Choice, ChoiceScope, Contract, Template } from "./contract-template.ts";
import { Fields } from "./fields.ts";
import { LedgerRefusal } from "./ledger-refusal.ts";
import { holdingAmount } from "./token/holding.ts";

/** A node of a transaction. */
export interface TransactionNode {
  readonly nodeId: number;
  readonly kind: "create" | "exercise";
  readonly contractId: ContractId;
  readonly templateId: string;
  readonly interfaceId: string | null;
  readonly choice: string | null;
  readonly argument: JsonObject;
  result: JsonObject | null;
  readonly isConsuming: boolean;
  readonly acting: readonly Party[];
  readonly signatories: readonly Party[];
  /** Parties that see the contract. The `witnesses` are the parties that see this node. */
  readonly stakeholders: readonly Party[];
  readonly witnesses: readonly Party[];
  lastDescendant: number;
}

export interface Interpreted {
  readonly nodes: readonly TransactionNode[];
  readonly created: readonly Contract[];
  readonly consumed: readonly ContractId[];
  /** Contracts that were used but not consumed; they must still be active at the commit. */
  readonly used: readonly ContractId[];
}

export interface InterpreterOptions {
  readonly templates: ReadonlyMap<string, Template>;
  readonly find: (contractId: ContractId) => Contract | undefined;
  readonly newContractId: () => ContractId;
  readonly now: number;
  readonly actAs: readonly Party[];
  readonly readAs: readonly Party[];
  readonly disclosed: ReadonlySet<ContractId>;
}

/** Maximum depth of nested choices; a deeper one is assumed to be an endless loop. */
const depthMax = 20;
const nodesMax = 5000;

export function interpret(
  commands: readonly ApiCommand[],
  options: InterpreterOptions,
): Interpreted {
  return new Interpreter(options).run(commands);
}

class Interpreter {
  readonly #options: InterpreterOptions;
  readonly #nodes: TransactionNode[] = [];
  readonly #created = new Map<ContractId, Contract>();
  readonly #consumed = new Set<ContractId>();
  readonly #used = new Set<ContractId>();
  readonly #minted = new Map<string, bigint>();

  constructor(options: InterpreterOptions) {
    this.#options = options;
  }

  run(commands: readonly ApiCommand[]): Interpreted {
    const authority = new Set(this.#options.actAs);
    for (const command of commands) {
      if ("CreateCommand" in command) {
        const { templateId, createArguments } = command.CreateCommand;
        this.#create(templateId, createArguments, { authority, witnesses: [], depth: 0 });
      } else {
        const { templateId, contractId, choice, choiceArgument } = command.ExerciseCommand;
        const scope = { authority, witnesses: [], depth: 0 };
        this.#exercise({ templateId, contractId, choice, argument: choiceArgument }, scope);
      }
    }
    this.#checkConservation();
    const created = [...this.#created.values()].filter(
      ({ contractId }) => !this.#consumed.has(contractId),
    );
    const isOld = (contractId: ContractId) => !this.#created.has(contractId);
    const consumed = [...this.#consumed].filter(isOld);
    const used = [...this.#used].filter((id) => isOld(id) && !this.#consumed.has(id));
    return { nodes: this.#nodes, created, consumed, used };
  }

  #template(templateId: string): Template {
    const template = this.#options.templates.get(templateId);
    if (template === undefined)
      throw new LedgerRefusal("COMMAND_PREPROCESSING_FAILED", `unknown template ${templateId}`);
    return template;
  }

  #authorize(needed: readonly Party[], authority: ReadonlySet<Party>, what: string): void {
    const missing = needed.filter((party) => !authority.has(party));
    if (missing.length > 0)
      throw new LedgerRefusal(
        "DAML_AUTHORIZATION_ERROR",
        `${what} needs the authority of ${missing.join(", ")}`,
      );
  }

  #create(templateId: string, payload: JsonObject, scope: NodeScope): ContractId {
    const template = this.#template(templateId);
    const fields = new Fields(payload, "");
    template.check(fields);
    const signatories = [...new Set(template.signatories(fields))];
    const observers = [...new Set(template.observers(fields))].filter(
      (party) => !signatories.includes(party),
    );
    this.#authorize(signatories, scope.authority, `creating ${templateId}`);
    const contractId = this.#options.newContractId();
    const createdAt = new Date(this.#options.now).toISOString();
    const createdOffset = 0;
    const contract = { contractId, templateId, payload, signatories, observers };
    this.#created.set(contractId, { ...contract, createdOffset, createdAt });
    const stakeholders = [...signatories, ...observers];
    this.#push({
      kind: "create",
      contractId,
      templateId,
      interfaceId: null,
      choice: null,
      argument: payload,
      isConsuming: false,
      acting: [],
      signatories,
      stakeholders,
      witnesses: [...new Set([...stakeholders, ...scope.witnesses])],
    });
    return contractId;
  }

  #exercise(call: ExerciseCall, scope: NodeScope): JsonObject {
    if (scope.depth >= depthMax)
      throw new LedgerRefusal("COMMAND_PREPROCESSING_FAILED", "choices nest too deeply");
    const contract = this.#active(call.contractId);
    const template = this.#template(contract.templateId);
    const choice = choiceOf(template, call);
    const payload = new Fields(contract.payload, "");
    const argument = new Fields(call.argument, call.choice);
    const controllers = [...new Set(choice.controllers(payload, argument))];
    this.#authorize(controllers, scope.authority, `${call.choice} on ${contract.contractId}`);
    const { signatories, observers } = contract;
    const shown = choice.isConsuming ? observers : [];
    const witnesses = [...new Set([...signatories, ...controllers, ...shown, ...scope.witnesses])];
    const node = this.#push({
      kind: "exercise",
      contractId: contract.contractId,
      templateId: contract.templateId,
      interfaceId: choice.interfaceId ?? null,
      choice: call.choice,
      argument: call.argument,
      isConsuming: choice.isConsuming,
      acting: controllers,
      signatories,
      stakeholders: [...signatories, ...observers],
      witnesses,
    });
    if (choice.isConsuming) this.#consumed.add(contract.contractId);
    else this.#used.add(contract.contractId);
    const authority = new Set([...signatories, ...controllers]);
    const inner = { authority, witnesses, depth: scope.depth + 1 };
    node.result = choice.run(this.#scope(contract.contractId, inner), payload, argument);
    node.lastDescendant = this.#nodes.length - 1;
    return node.result;
  }

  #scope(self: ContractId, scope: NodeScope): ChoiceScope {
    return {
      self,
      now: this.#options.now,
      create: (templateId, payload) => this.#create(templateId, payload, scope),
      exercise: (contractId, choice, argument) =>
        this.#exercise({ templateId: null, contractId, choice, argument }, scope),
      archive: (contractId) => {
        this.#archive(contractId, scope);
      },
      fetch: (contractId, templateId) => {
        const contract = this.#active(contractId);
        if (contract.templateId !== templateId)
          throw new LedgerRefusal(
            "COMMAND_PREPROCESSING_FAILED",
            `${contractId} is not a ${templateId}`,
          );
        this.#used.add(contractId);
        return new Fields(contract.payload, "");
      },
      isActive: (contractId) => this.#find(contractId) !== undefined,
      mint: (instrument, units) => {
        this.#authorize([instrument.admin], scope.authority, "minting");
        const key = instrumentKey(instrument);
        this.#minted.set(key, (this.#minted.get(key) ?? 0n) + units);
      },
    };
  }

  #archive(contractId: ContractId, scope: NodeScope): void {
    const contract = this.#active(contractId);
    const { signatories, observers, templateId } = contract;
    this.#authorize(signatories, scope.authority, `archiving ${contractId}`);
    this.#consumed.add(contractId);
    const node = this.#push({
      kind: "exercise",
      contractId,
      templateId,
      interfaceId: null,
      choice: "Archive",
      argument: {},
      isConsuming: true,
      acting: signatories,
      signatories,
      stakeholders: [...signatories, ...observers],
      witnesses: [...new Set([...signatories, ...observers, ...scope.witnesses])],
    });
    node.result = {};
  }

  #find(contractId: ContractId): Contract | undefined {
    if (this.#consumed.has(contractId)) return undefined;
    const own = this.#created.get(contractId);
    if (own !== undefined) return own;
    const { find, actAs, readAs, disclosed } = this.#options;
    const contract = find(contractId);
    if (contract === undefined || disclosed.has(contractId)) return contract;
    const sees = (party: Party) => actAs.includes(party) || readAs.includes(party);
    const isSeen = contract.signatories.some(sees) || contract.observers.some(sees);
    return isSeen ? contract : undefined;
  }

  #active(contractId: ContractId): Contract {
    const contract = this.#find(contractId);
    if (contract !== undefined) return contract;
    const message = `contract ${contractId} is not active, or not visible to the submitter`;
    throw new LedgerRefusal("CONTRACT_NOT_FOUND", message, { contracts: [contractId] });
  }

  #push(node: Omit<TransactionNode, "nodeId" | "lastDescendant" | "result">): TransactionNode {
    if (this.#nodes.length >= nodesMax)
      throw new LedgerRefusal("COMMAND_PREPROCESSING_FAILED", "the transaction is too large");
    const nodeId = this.#nodes.length;
    const pushed = { ...node, nodeId, lastDescendant: nodeId, result: null };
    this.#nodes.push(pushed);
    return pushed;
  }

  /** Checks, for all templates, that the supply changes only by minting. */
  #checkConservation(): void {
    const change = new Map<string, bigint>();
    const add = (contract: Contract | undefined, sign: bigint) => {
      const found = contract === undefined ? null : holdingAmount(contract);
      if (found === null) return;
      const key = instrumentKey(found.instrument);
      change.set(key, (change.get(key) ?? 0n) + sign * found.units);
    };
    for (const contract of this.#created.values()) add(contract, 1n);
    for (const id of this.#consumed) add(this.#created.get(id) ?? this.#options.find(id), -1n);
    for (const key of new Set([...change.keys(), ...this.#minted.keys()])) {
      if ((change.get(key) ?? 0n) !== (this.#minted.get(key) ?? 0n))
        throw new LedgerRefusal(
          "INTERNAL_ERROR",
          `the supply of ${key} must not change without minting`,
        );
    }
  }
}

interface NodeScope {
  readonly authority: ReadonlySet<Party>;
  readonly witnesses: readonly Party[];
  readonly depth: number;
}

interface ExerciseCall {
  /** Template or interface that the caller named; null inside a choice. */
  readonly templateId: string | null;
  readonly contractId: ContractId;
  readonly choice: string;
  readonly argument: JsonObject;
}

function choiceOf(template: Template, { templateId, choice: name }: ExerciseCall): Choice {
  const choice = Object.hasOwn(template.choices, name) ? template.choices[name] : undefined;
  const isNamed =
    templateId === null || templateId === template.id || templateId === choice?.interfaceId;
  if (choice !== undefined && isNamed) return choice;
  const message = `${template.id} has no choice ${name} of ${templateId ?? "any interface"}`;
  throw new LedgerRefusal("COMMAND_PREPROCESSING_FAILED", message);
}

export function instrumentKey({ admin, id }: Instrument): string {
  return `${id}@${admin}`;
}
