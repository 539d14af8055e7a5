// The development ledger as one object: its tables, its memory, its submission pipeline, and the initial state of a new
// ledger. Its HTTP routes and its supervision are in other files. Every change is a submission, including the changes
// by the ledger's built-in applications (faucet and hosted wallets).

import { randomBytes } from "node:crypto";
import type { ApiCommand, JsonObject } from "../adapters/ledger/api-shapes.ts";
import type { ContractId, Party } from "../ports/ledger/ledger.ts";
import { ActiveContracts } from "./active-contracts.ts";
import { CommitQueue } from "./commit-queue.ts";
import type { Contract } from "./contract-template.ts";
import { DevnetClock } from "./devnet-clock.ts";
import { DevnetStore, type StoreEndpoint, type UpdateRow } from "./devnet-store.ts";
import { Disclosure } from "./disclosure.ts";
import { EventViews } from "./event-view.ts";
import { FaultPlan } from "./fault-plan.ts";
import { LedgerUsers, type UsersState } from "./ledger-users.ts";
import { type Latency, SubmissionPipeline } from "./submission-pipeline.ts";
import { rulesTemplate } from "./token/transfers.ts";
import { TrafficMeter, type TrafficState } from "./traffic-meter.ts";

/** An instrument that a new ledger issues, with its decimals as reported by the registry. */
export interface DevnetInstrument {
  readonly id: string;
  readonly decimals: number;
  /** Name hint of the instrument's admin party. */
  readonly admin: string;
}

export interface DevnetSettings {
  readonly store: StoreEndpoint;
  /** Secret that signs tokens and disclosed contracts; shared with the venue. */
  readonly secret: string;
  readonly instruments: readonly DevnetInstrument[];
  readonly latency: Latency;
  /** Start of a manual clock in ms; null to use the system clock. */
  readonly manualClockMs: number | null;
  /** True to refuse traffic beyond the allowance, as on a real network. */
  readonly isTrafficLimited: boolean;
  /** Milliseconds until a hosted wallet accepts a proposal of the venue. */
  readonly acceptDelayMs: number;
}

/** Name of the ledger user under which the venue acts. */
export const venueUser = "venue";
export const adminUser = "participant_admin";
const internalUser = "devnet";

interface LedgerState {
  readonly endOffset: number;
  readonly users: UsersState;
  readonly traffic: TrafficState;
  readonly synchronizerId: string;
}

export class DevnetLedger {
  readonly settings: DevnetSettings;
  readonly store: DevnetStore;
  readonly active = new ActiveContracts();
  readonly faults = new FaultPlan();
  readonly clock: DevnetClock;
  readonly users: LedgerUsers;
  readonly traffic: TrafficMeter;
  readonly queue: CommitQueue;
  readonly pipeline: SubmissionPipeline;
  readonly disclosure: Disclosure;
  readonly views: EventViews;
  readonly synchronizerId: string;
  readonly #committed: ((created: readonly Contract[]) => void)[] = [];
  /** Ends the waits for the next commit. */
  readonly #waiting = new Set<() => void>();
  #commands = 0;

  private constructor(
    settings: DevnetSettings,
    store: DevnetStore,
    state: LedgerState,
    onFatal: (error: Error) => never,
    now: () => number,
  ) {
    const { latency, secret, manualClockMs, isTrafficLimited } = settings;
    const { synchronizerId } = state;
    this.settings = settings;
    this.store = store;
    this.synchronizerId = synchronizerId;
    this.clock = new DevnetClock(manualClockMs, now);
    this.users = new LedgerUsers(state.users);
    this.traffic = new TrafficMeter(state.traffic, !isTrafficLimited);
    this.disclosure = new Disclosure(secret, synchronizerId);
    this.views = new EventViews(this.disclosure, synchronizerId);
    this.queue = new CommitQueue({
      store,
      active: this.active,
      endOffset: state.endOffset,
      recordTime: () => this.clock.recordTime(),
      stateOf: (endOffset) => this.#stateOf(endOffset),
      users: () => this.users.state,
      onCommitted: (created) => {
        for (const listener of [...this.#committed]) listener(created);
        for (const done of [...this.#waiting]) done();
      },
      onFatal,
    });
    const { active, queue, users, traffic, faults, clock, disclosure } = this;
    const crash = () => onFatal(new Error("an injected fault requested a crash"));
    this.pipeline = new SubmissionPipeline({
      store,
      active,
      queue,
      users,
      traffic,
      faults,
      clock,
      disclosure,
      latency,
      crash,
    });
  }

  /** Opens the tables, loads the active contracts, and issues the instruments of a new ledger. */
  static async open(
    settings: DevnetSettings,
    onFatal: (error: Error) => never,
    now: () => number,
  ): Promise<DevnetLedger> {
    const store = await DevnetStore.open(settings.store, onFatal);
    const kept = await store.state();
    const state =
      kept === null
        ? freshState(now())
        : { ...(kept.state as unknown as Omit<LedgerState, "users">), users: kept.users };
    const ledger = new DevnetLedger(settings, store, state, onFatal, now);
    for (const contract of await store.activeContracts()) ledger.active.add(contract);
    await ledger.#complete();
    return ledger;
  }

  /** Adds a listener that is called after each commit with the created contracts. */
  onCommitted(listener: (created: readonly Contract[]) => void): void {
    this.#committed.push(listener);
  }

  /** Resolves after the next commit, or after `ms` at the latest. */
  untilCommit(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting.add(done);
    });
  }

  admin(instrumentId: string): Party | null {
    const found = this.settings.instruments.find(({ id }) => id === instrumentId);
    return found === undefined ? null : this.party(found.admin);
  }

  /** Returns the full name of a party of this participant. */
  party(hint: string): Party {
    return `${hint}::${this.users.state.namespace}`;
  }

  rulesOf(admin: Party): Contract | undefined {
    return this.active.of(admin, rulesTemplate)[0];
  }

  /** Submits a command as the parties `actAs`, in the same way as the built-in applications. */
  act(
    actAs: readonly Party[],
    command: ApiCommand,
    disclosed: readonly Contract[] = [],
  ): Promise<UpdateRow> {
    this.#commands += 1;
    const commandId = `devnet:${randomBytes(8).toString("hex")}:${this.#commands}`;
    return this.pipeline.submitInternal({
      endpoint: "",
      userId: internalUser,
      commands: [command],
      commandId,
      submissionId: commandId,
      workflowId: "lane:wallet",
      actAs,
      readAs: [],
      dedupOffset: this.queue.endOffset,
      disclosed: disclosed.map((contract) => this.disclosure.disclose(contract)),
      isInternal: true,
      maxRecordMs: null,
    });
  }

  create(actAs: Party, templateId: string, createArguments: JsonObject): Promise<UpdateRow> {
    return this.act([actAs], { CreateCommand: { templateId, createArguments } });
  }

  exercise(
    actAs: readonly Party[],
    templateId: string,
    contractId: ContractId,
    choice: string,
    choiceArgument: JsonObject,
    disclosed: readonly Contract[] = [],
  ): Promise<UpdateRow> {
    const ExerciseCommand = { templateId, contractId, choice, choiceArgument };
    return this.act(actAs, { ExerciseCommand }, disclosed);
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  /**
   * Creates the required parties, users and rules that are missing, so it is safe to repeat after a crash.
   */
  async #complete(): Promise<void> {
    const { users, settings } = this;
    const hints = ["operator", "custody", "faucet", "wallet-provider"];
    for (const hint of new Set([...hints, ...settings.instruments.map(({ admin }) => admin)])) {
      if (users.party(this.party(hint)) === undefined) users.host(hint);
    }
    users.user(adminUser).isAdmin = true;
    users.grantActAs(venueUser, this.party("operator"));
    users.grantActAs(venueUser, this.party("custody"));
    await this.queue.saveUsers();
    for (const { admin } of settings.instruments) {
      const party = this.party(admin);
      if (this.rulesOf(party) === undefined)
        await this.create(party, rulesTemplate, { admin: party });
    }
  }

  #stateOf(endOffset: number): JsonObject {
    const { synchronizerId } = this;
    return { endOffset, traffic: this.traffic.state, synchronizerId };
  }
}

function freshState(nowMs: number): LedgerState {
  const seed = randomBytes(32);
  const users = LedgerUsers.fresh(seed);
  return {
    endOffset: 0,
    users,
    traffic: TrafficMeter.fresh(nowMs),
    synchronizerId: `global::${users.namespace}`,
  };
}
