// Implements ProviderRepository on PostgreSQL: approved providers, their scores, and notices waiting for delivery.

import {
  type DueNotice,
  type FigureChange,
  type ProviderRecord,
  type ProviderRepository,
  ProviderState,
} from "../../../../ports/swaps/provider-registry.ts";
import type { Sql } from "../../connection.ts";
import type { Stored } from "../../rows.ts";
import { providerOf, type StoredProvider } from "./provider-registry.ts";

export class PostgresProviderRepository implements ProviderRepository {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async approved(): Promise<ProviderRecord[]> {
    const rows = await this.#sql<StoredProvider[]>`
      select * from liquidity_providers where state = ${ProviderState.approved} order by number`;
    return rows.map(providerOf);
  }

  async saveFigures(changes: readonly FigureChange[]): Promise<void> {
    for (const change of changes) {
      await this.#sql`
        update liquidity_providers set
          score = ${change.score}, health = ${change.health}, health_ms = ${change.healthMs},
          asked = asked + ${change.asked}, quoted = quoted + ${change.quoted},
          passed = passed + ${change.passed}, late = late + ${change.late},
          invalid = invalid + ${change.invalid}, failed = failed + ${change.failed},
          settled = settled + ${change.settled}, declined = declined + ${change.declined},
          unlocked = unlocked + ${change.unlocked}, answer_ms = answer_ms + ${change.answerMs}
        where provider = ${change.provider}`;
    }
  }

  async suspend(provider: string, reason: string, nowMs: number): Promise<void> {
    await this.#sql`
      update liquidity_providers
      set state = ${ProviderState.suspended}, reason = ${reason}, decided_ms = ${nowMs}
      where provider = ${provider} and state = ${ProviderState.approved}`;
  }

  async dueNotices(nowMs: number, limit: number): Promise<DueNotice[]> {
    const rows = await this.#sql<(Stored<Omit<DueNotice, "kind">> & { readonly kind: 1 | 2 })[]>`
      select n.notice_id, n.provider, n.swap_id, n.kind, n.body, n.created_ms, n.attempts
      from swap_notices n
      where n.delivered_ms is null and n.given_up_ms is null and n.due_ms <= ${nowMs}
        and not exists (
          select from swap_notices e
          where e.swap_id = n.swap_id and e.provider = n.provider and e.notice_id < n.notice_id
            and e.delivered_ms is null and e.given_up_ms is null)
      order by n.due_ms, n.notice_id limit ${limit}`;
    return rows.map((row) => ({
      noticeId: Number(row.notice_id),
      provider: row.provider,
      swapId: row.swap_id,
      kind: row.kind === 1 ? "result" : "cancel",
      body: row.body,
      createdMs: Number(row.created_ms),
      attempts: Number(row.attempts),
    }));
  }

  async urlOf(provider: string): Promise<string | null> {
    const [row] = await this.#sql<{ url: string }[]>`
      select url from liquidity_providers where provider = ${provider}`;
    return row?.url ?? null;
  }

  async delivered(noticeId: number, nowMs: number): Promise<void> {
    await this.#sql`
      update swap_notices set delivered_ms = ${nowMs}, attempts = attempts + 1, reason = null
      where notice_id = ${noticeId} and delivered_ms is null`;
  }

  async postpone(noticeId: number, dueMs: number, reason: string): Promise<void> {
    await this.#sql`
      update swap_notices set due_ms = ${dueMs}, attempts = attempts + 1, reason = ${reason}
      where notice_id = ${noticeId}`;
  }

  async giveUp(noticeId: number, nowMs: number, reason: string): Promise<void> {
    await this.#sql`
      update swap_notices set given_up_ms = ${nowMs}, attempts = attempts + 1, reason = ${reason}
      where notice_id = ${noticeId}`;
  }
}
