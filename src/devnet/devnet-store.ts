// The development ledger's tables: all committed transactions in order, in a schema and under a role of their own. A
// batch of transactions is written by one statement and one commit. Active contracts are also kept in memory; they are
// loaded at the start.

import type { JsonObject } from "../adapters/ledger/api-shapes.ts";
import { PgSession } from "../adapters/postgres/pg-session.ts";
import { type Statements, statementsOver } from "../adapters/postgres/sql.ts";
import type { Contract } from "./contract-template.ts";
import type { TransactionNode } from "./interpreter.ts";
import type { UsersState } from "./ledger-users.ts";

/** Database and login of the tables. The password may be empty if the connection is a Unix socket. */
export interface StoreEndpoint {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

export interface UpdateRow {
  readonly offset: number;
  readonly update_id: string;
  readonly command_id: string;
  readonly act_as: readonly string[];
  readonly workflow_id: string;
  readonly user_id: string;
  readonly record_time: string;
  readonly traffic_cost: number;
  readonly witnesses: readonly string[];
  readonly nodes: readonly TransactionNode[];
}

export interface CompletionRow {
  readonly offset: number;
  readonly change_hash: string;
  readonly user_id: string;
  readonly act_as: readonly string[];
  readonly command_id: string;
  readonly submission_id: string;
  /** Status of the completion: 0 if accepted, otherwise the gRPC code. */
  readonly status_code: number;
  readonly status_words: string;
  readonly update_id: string | null;
  readonly dedup_offset: number;
  readonly record_time: string;
  readonly traffic_cost: number;
}

/** The rows of one commit; the names of the fields are the names of the columns. */
export interface CommitBatch {
  readonly updates: readonly UpdateRow[];
  readonly completions: readonly CompletionRow[];
  readonly contracts: readonly StoredContract[];
  readonly archives: readonly { readonly contract_id: string; readonly archived_offset: number }[];
  readonly supply: readonly { readonly instrument: string; readonly units: string }[];
  readonly state: JsonObject;
  /** All parties and rights; null if they are unchanged. */
  readonly users: UsersState | null;
}

export interface StoredContract {
  readonly contract_id: string;
  readonly template_id: string;
  readonly payload: JsonObject;
  readonly signatories: readonly string[];
  readonly observers: readonly string[];
  readonly created_offset: number;
  readonly created_at: string;
}

/** Creates the tables. It is idempotent, so that it can run at every start. */
const schema = `
create table if not exists ledger_state (
  id integer primary key check (id in (1, 2)),
  state jsonb not null
);
create table if not exists update_log (
  "offset" bigint primary key,
  update_id text not null unique,
  command_id text not null,
  workflow_id text not null,
  user_id text not null,
  record_time text not null,
  traffic_cost bigint not null,
  witnesses text[] not null,
  nodes jsonb not null
);
alter table update_log add column if not exists act_as text[] not null default '{}';
create index if not exists update_log_witnesses on update_log using gin (witnesses);
create table if not exists completion (
  "offset" bigint primary key,
  change_hash text not null,
  user_id text not null,
  act_as text[] not null,
  command_id text not null,
  submission_id text not null,
  status_code integer not null,
  status_words text not null,
  update_id text,
  dedup_offset bigint not null,
  record_time text not null,
  traffic_cost bigint not null
);
-- Updates that were stored before the column existed get their submitters from their completions.
update update_log u set act_as = c.act_as from completion c where c.update_id = u.update_id and u.act_as = '{}';
create index if not exists completion_change on completion (change_hash, "offset") where status_code = 0;
create table if not exists contract (
  contract_id text primary key,
  template_id text not null,
  payload jsonb not null,
  signatories text[] not null,
  observers text[] not null,
  created_offset bigint not null,
  created_at text not null,
  archived_offset bigint
);
create index if not exists contract_stakeholders on contract using gin ((signatories || observers));
create table if not exists supply (
  instrument text primary key,
  units numeric(38) not null
);
create or replace function commit_group(given jsonb) returns void language plpgsql as $$
begin
  insert into update_log
    select * from jsonb_populate_recordset(null::update_log, given->'updates');
  insert into completion
    select * from jsonb_populate_recordset(null::completion, given->'completions');
  insert into contract
    select * from jsonb_populate_recordset(null::contract, given->'contracts');
  update contract c set archived_offset = a.archived_offset
    from jsonb_populate_recordset(null::contract, given->'archives') a
    where c.contract_id = a.contract_id and c.archived_offset is null;
  insert into supply
    select * from jsonb_populate_recordset(null::supply, given->'supply')
    on conflict (instrument) do update set units = supply.units + excluded.units;
  insert into ledger_state values (1, given->'state')
    on conflict (id) do update set state = excluded.state;
  if jsonb_typeof(given->'users') = 'object' then
    insert into ledger_state values (2, given->'users')
      on conflict (id) do update set state = excluded.state;
  end if;
end $$;
`;

/** Number of the session lock that allows only one process at a time to run this ledger. */
const ledgerLock = 0x4c45_4447;

export class DevnetStore {
  readonly #session: PgSession;
  readonly #sql: Statements;
  #isClosed = false;

  private constructor(session: PgSession) {
    this.#session = session;
    this.#sql = statementsOver((statement) => session.query(statement));
  }

  /** Opens the store: waits until an earlier process has ended, and creates the tables. */
  static async open(endpoint: StoreEndpoint, onLost: (error: Error) => void): Promise<DevnetStore> {
    // One session is enough: it holds the lock, and commits run one after another.
    const session = await PgSession.open(endpoint, "devnet-ledger", {});
    await session.queryText(`select pg_advisory_lock(${ledgerLock})`);
    await session.queryText(schema);
    // A session that is lost has lost the lock too, so another process may already run the ledger.
    const store = new DevnetStore(session);
    void session.ended.then(() => {
      if (!store.#isClosed) onLost(new Error("the ledger's database session ended"));
    });
    return store;
  }

  /** Returns the state and the users after the last commit; null before the first commit. */
  async state(): Promise<{ readonly state: JsonObject; readonly users: UsersState } | null> {
    const rows = await this.#sql<{ id: number; state: JsonObject }[]>`
      select id, state from ledger_state order by id`;
    const [state, users] = rows.map((row) => row.state);
    if (state === undefined || users === undefined) return null;
    return { state, users: users as unknown as UsersState };
  }

  async activeContracts(): Promise<Contract[]> {
    const rows = await this.#sql<StoredContract[]>`
      select contract_id, template_id, payload, signatories, observers,
             created_offset::int8::text as created_offset, created_at
      from contract where archived_offset is null`;
    return rows.map(contractOfRow);
  }

  /** Returns contracts that are active at `offset` and have one of `parties` as a stakeholder, oldest first. */
  async contractsAt(offset: number, parties: readonly string[]): Promise<Contract[]> {
    const rows = await this.#sql<StoredContract[]>`
      select contract_id, template_id, payload, signatories, observers,
             created_offset::text as created_offset, created_at
      from contract
      where signatories || observers && ${textArray(parties)}::text[]
        and created_offset <= ${offset} and (archived_offset is null or archived_offset > ${offset})
      order by contract.created_offset, contract_id`;
    return rows.map(contractOfRow);
  }

  async contract(
    contractId: string,
  ): Promise<(Contract & { archivedOffset: number | null }) | null> {
    const [row] = await this.#sql<(StoredContract & { archived_offset: string | null })[]>`
      select contract_id, template_id, payload, signatories, observers,
             created_offset::text as created_offset, created_at, archived_offset::text
      from contract where contract_id = ${contractId}`;
    if (row === undefined) return null;
    const { archived_offset } = row;
    const archivedOffset = archived_offset === null ? null : Number(archived_offset);
    return { ...contractOfRow(row), archivedOffset };
  }

  /** Returns at most `limit` updates in (after, to] that one of `parties` can see. */
  async updates(
    after: number,
    to: number,
    parties: readonly string[],
    limit: number,
  ): Promise<UpdateRow[]> {
    const rows = await this.#sql<UpdateRow[]>`
      select "offset"::text as offset, update_id, command_id, workflow_id, user_id, record_time,
             traffic_cost::text as traffic_cost, witnesses, nodes, act_as
      from update_log
      where "offset" > ${after} and "offset" <= ${to} and witnesses && ${textArray(parties)}::text[]
      order by update_log."offset" limit ${limit}`;
    return rows.map(updateOfRow);
  }

  async updateById(updateId: string): Promise<UpdateRow | null> {
    const [row] = await this.#sql<UpdateRow[]>`
      select "offset"::text as offset, update_id, command_id, workflow_id, user_id, record_time,
             traffic_cost::text as traffic_cost, witnesses, nodes, act_as
      from update_log where update_id = ${updateId}`;
    return row === undefined ? null : updateOfRow(row);
  }

  async completions(
    userId: string,
    after: number,
    parties: readonly string[],
    limit: number,
  ): Promise<CompletionRow[]> {
    const rows = await this.#sql<CompletionRow[]>`
      select "offset"::text as offset, change_hash, user_id, act_as, command_id, submission_id,
             status_code, status_words, update_id, dedup_offset::text as dedup_offset, record_time,
             traffic_cost::text as traffic_cost
      from completion
      where user_id = ${userId} and "offset" > ${after} and act_as && ${textArray(parties)}::text[]
      order by completion."offset" limit ${limit}`;
    return rows.map((row) => ({
      ...row,
      offset: Number(row.offset),
      dedup_offset: Number(row.dedup_offset),
      traffic_cost: Number(row.traffic_cost),
    }));
  }

  /** Returns the newest accepted completion with this change hash after the offset `after`, or null. */
  async acceptedAfter(
    changeHash: string,
    after: number,
  ): Promise<{ offset: number; submissionId: string } | null> {
    const [row] = await this.#sql<{ offset: string; submission_id: string }[]>`
      select "offset"::text as offset, submission_id from completion
      where change_hash = ${changeHash} and "offset" > ${after} and status_code = 0
      order by completion."offset" desc limit 1`;
    return row === undefined
      ? null
      : { offset: Number(row.offset), submissionId: row.submission_id };
  }

  async supply(): Promise<ReadonlyMap<string, bigint>> {
    const rows = await this.#sql<{ instrument: string; units: string }[]>`
      select instrument, units::text as units from supply`;
    return new Map(rows.map(({ instrument, units }) => [instrument, BigInt(units)]));
  }

  /** Counts missing offsets and accepted completions without an update of their own; 0 of each in an intact ledger. */
  async faults(): Promise<{ readonly gaps: number; readonly twice: number }> {
    const [row] = await this.#sql<{ gaps: string; twice: string }[]>`
      select (coalesce(max("offset"), 0) - count(*))::text as gaps,
             (count(*) filter (where status_code = 0)
               - (select count(*) from update_log))::text as twice
      from completion`;
    return { gaps: Number(row?.gaps ?? 0), twice: Number(row?.twice ?? 0) };
  }

  async commit(batch: CommitBatch): Promise<void> {
    await this.#sql`select commit_group(${JSON.stringify(batch)}::text::jsonb)`;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#session.close();
  }
}

/** Formats a list as a PostgreSQL array in text form, because the client does not send parameter types. */
function textArray(values: readonly string[]): string {
  const quoted = values.map(
    (value) => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`,
  );
  return `{${quoted.join(",")}}`;
}

function contractOfRow(row: StoredContract): Contract {
  return {
    contractId: row.contract_id,
    templateId: row.template_id,
    payload: row.payload,
    signatories: parsedArray(row.signatories),
    observers: parsedArray(row.observers),
    createdOffset: Number(row.created_offset),
    createdAt: row.created_at,
  };
}

function updateOfRow(row: UpdateRow): UpdateRow {
  const { offset, traffic_cost, witnesses, act_as } = row;
  return {
    ...row,
    offset: Number(offset),
    traffic_cost: Number(traffic_cost),
    witnesses: parsedArray(witnesses),
    act_as: parsedArray(act_as),
  };
}

/** Parses an array, which the client may return as text because it does not load the type catalogue. */
function parsedArray(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  const inner = String(value).slice(1, -1);
  if (inner === "") return [];
  return [...inner.matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "",
  );
}
