// Holds the approved providers with their connections and scores, and reloads them at each health check. A check
// queries all providers at once and stores the changes. A newly approved provider receives quote requests once its
// first health check is answered. Implements LPC-1 and LPC-5.

import { healthAnswer } from "../../../schemas/http/provider-api.ts";
import type { Log } from "../../ports/log.ts";
import type { ProviderRecord, ProviderRepository } from "../../ports/swaps/provider-registry.ts";
import { ProviderScore } from "../../services/providers/provider-score.ts";
import { answerOf } from "./provider-answer.ts";
import { ProviderClient, type ProviderClientOptions } from "./provider-client.ts";

/** Maximum time of a health check's answer in milliseconds; a later answer counts as missed. */
const healthMsMax = 3_000;

/** Maximum number of connections kept to providers that are not approved, for their remaining notices. */
const unapprovedMax = 64;

export interface ProviderRollParts {
  readonly store: ProviderRepository;
  readonly client: Omit<ProviderClientOptions, "url">;
  /** Milliseconds between two health checks. */
  readonly healthMs: number;
  /** Called before each check, so that signing keys are reloaded as often as providers. */
  readonly refreshKeys: () => Promise<void>;
  readonly log: Log;
  nowMs(): number;
}

/** A provider that may receive requests. */
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
  /** Connections to providers that are not approved, oldest first. */
  readonly #unapproved = new Map<string, ProviderClient>();
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

  /** Returns the connection to a provider, approved or not; null for an unknown id. */
  async clientOf(provider: string): Promise<ProviderClient | null> {
    const known = this.#listed.get(provider)?.client ?? this.#unapproved.get(provider);
    if (known !== undefined) return known;
    const url = await this.#parts.store.urlOf(provider);
    if (url === null) return null;
    const client = new ProviderClient({ ...this.#parts.client, url });
    this.#unapproved.set(provider, client);
    const [oldest] = this.#unapproved;
    if (this.#unapproved.size > unapprovedMax && oldest !== undefined) {
      this.#unapproved.delete(oldest[0]);
      void oldest[1].close();
    }
    return client;
  }

  /** Removes a provider from the list, so that it receives no more requests; its connection stays for notices. */
  drop(provider: string): void {
    const dropped = this.#listed.get(provider);
    if (dropped === undefined) return;
    this.#listed.delete(provider);
    this.#unapproved.set(provider, dropped.client);
  }

  /** Resolves when the first health check has ended. */
  async ready(): Promise<void> {
    await this.#checking;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const clients = [...this.#unapproved.values()];
    for (const { client } of this.#listed.values()) clients.push(client);
    await Promise.all(clients.map((client) => client.close()));
    await this.#checking;
    // If the store is unavailable, only statistics are lost, so the stop continues.
    await this.#save().catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, "provider figures could not be stored");
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
      this.#parts.log.warn({ err: error }, "a round of health checks failed; the next one retries");
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
        this.#unapproved.get(provider) ?? new ProviderClient({ ...this.#parts.client, url });
      this.#unapproved.delete(provider);
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
    // Use only the pairs for which the provider is registered and which it also reports now.
    const pairs = report.pairs.filter((pair) => listed.record.pairs.includes(pair));
    listed.healthAnswered({ status: report.status, pairs }, nowMs());
  }
}
