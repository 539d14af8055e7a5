// Who is approved, with a connection to each and how it stands: read anew with every beat. Beats ask each
// provider for its health, all at once, and write down what has changed. A provider that was approved a
// moment ago is asked for quotes once its first health check has been answered. Spec LPC-1, LPC-5.

import { healthAnswer } from "../../../schemas/http/provider-api.ts";
import type { Log } from "../../ports/log.ts";
import type { ProviderRecord, ProviderRepository } from "../../ports/swaps/provider-registry.ts";
import { ProviderScore } from "../../services/providers/provider-score.ts";
import { answerOf } from "./provider-answer.ts";
import { ProviderClient, type ProviderClientOptions } from "./provider-client.ts";

/** An answer that takes longer is a miss. */
const healthMsMax = 3_000;

/** Connections to providers that are no longer approved, for what is left to say to them. */
const strangersMax = 64;

export interface ProviderRollParts {
  readonly store: ProviderRepository;
  readonly client: Omit<ProviderClientOptions, "url">;
  /** Milliseconds between two health checks. */
  readonly healthMs: number;
  /** Before each beat: what signs requests is as new as who is asked. */
  readonly refreshKeys: () => Promise<void>;
  readonly log: Log;
  nowMs(): number;
}

/** A provider that may be asked. */
export class ListedProvider extends ProviderScore {
  readonly record: ProviderRecord;
  readonly client: ProviderClient;

  constructor(record: ProviderRecord, client: ProviderClient) {
    super(record.provider, record.score);
    this.record = record;
    this.client = client;
  }
}

export class ProviderRoll {
  readonly #parts: ProviderRollParts;
  readonly #listed = new Map<string, ListedProvider>();
  /** Of providers that are not approved, oldest first. */
  readonly #strangers = new Map<string, ProviderClient>();
  #timer: NodeJS.Timeout | null = null;
  #checking: Promise<void>;
  #isStopped = false;

  constructor(parts: ProviderRollParts) {
    this.#parts = parts;
    this.#checking = this.#checkAndSchedule();
  }

  get listed(): Iterable<ListedProvider> {
    return this.#listed.values();
  }

  find(provider: string): ListedProvider | undefined {
    return this.#listed.get(provider);
  }

  /** The connection to a provider of any state; null where nobody has this id. */
  async clientOf(provider: string): Promise<ProviderClient | null> {
    const known = this.#listed.get(provider)?.client ?? this.#strangers.get(provider);
    if (known !== undefined) return known;
    const url = await this.#parts.store.urlOf(provider);
    if (url === null) return null;
    const client = new ProviderClient({ ...this.#parts.client, url });
    this.#strangers.set(provider, client);
    const [oldest] = this.#strangers;
    if (this.#strangers.size > strangersMax && oldest !== undefined) {
      this.#strangers.delete(oldest[0]);
      void oldest[1].close();
    }
    return client;
  }

  /** Is asked for nothing more from now on. */
  drop(provider: string): void {
    const dropped = this.#listed.get(provider);
    if (dropped === undefined) return;
    this.#listed.delete(provider);
    this.#strangers.set(provider, dropped.client);
  }

  /** Resolves when the first health check is over. */
  async ready(): Promise<void> {
    await this.#checking;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const clients = [...this.#strangers.values()];
    for (const { client } of this.#listed.values()) clients.push(client);
    await Promise.all(clients.map((client) => client.close()));
    await this.#checking;
    // A store that is away by now loses counts, nothing else.
    await this.#save().catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, "what providers did was not written down");
    });
  }

  async #save(): Promise<void> {
    const changes = [...this.#listed.values()].flatMap((each) => each.takeChange() ?? []);
    await this.#parts.store.saveFigures(changes);
  }

  async #checkAndSchedule(): Promise<void> {
    try {
      await this.#checkAll();
    } catch (error) {
      this.#parts.log.warn({ err: error }, "providers are looked at again in the next cycle");
    }
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#checking = this.#checkAndSchedule();
    }, this.#parts.healthMs);
  }

  async #checkAll(): Promise<void> {
    const { store, refreshKeys } = this.#parts;
    await refreshKeys();
    this.#take(await store.approved());
    if (this.#isStopped) return;
    await Promise.all([...this.#listed.values()].map((each) => this.#look(each)));
    await this.#save();
  }

  #take(approved: readonly ProviderRecord[]): void {
    const ids = new Set(approved.map(({ provider }) => provider));
    for (const provider of [...this.#listed.keys()]) if (!ids.has(provider)) this.drop(provider);
    for (const record of approved) {
      const { provider, url } = record;
      if (this.#listed.has(provider)) continue;
      const client =
        this.#strangers.get(provider) ?? new ProviderClient({ ...this.#parts.client, url });
      this.#strangers.delete(provider);
      this.#listed.set(provider, new ListedProvider(record, client));
    }
  }

  async #look(listed: ListedProvider): Promise<void> {
    const { nowMs } = this.#parts;
    const reply = await listed.client.send({
      method: "GET",
      path: "/health",
      body: "",
      idempotencyKey: `health-${nowMs()}`,
      signal: AbortSignal.timeout(healthMsMax),
    });
    const report = answerOf(healthAnswer, reply);
    if (report === null) {
      listed.miss();
      return;
    }
    // It quotes what it registered for, and of that what it says now.
    const pairs = report.pairs.filter((pair) => listed.record.pairs.includes(pair));
    listed.healthAnswered({ status: report.status, pairs }, nowMs());
  }
}
