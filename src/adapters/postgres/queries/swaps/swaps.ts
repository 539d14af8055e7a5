// Implements SwapStore on PostgreSQL. Each change takes effect only if the swap is still in the state that was read, so
// fronts and the settlement thread can work concurrently: the second of two concurrent changes has no effect.

import { assert, present } from "../../../../core/assert.ts";
import { EventKind } from "../../../../core/generated/events.ts";
import { PublicIdKind, publicId } from "../../../../core/ids/public-id.ts";
import { SwapReason, SwapState } from "../../../../core/swaps.ts";
import type { ContractId } from "../../../../ports/ledger/ledger.ts";
import type { PreparedSubmission, SwapContract } from "../../../../ports/swaps/swap-ledger.ts";
import type {
  MoveRow,
  NamedCoins,
  NewSwap,
  PhaseEnd,
  QuoteRow,
  SwapAttempt,
  SwapPhase,
  SwapQuery,
  SwapRecord,
  SwapRow,
  SwapStep,
  SwapStore,
  Trader,
} from "../../../../ports/swaps/swap-store.ts";
import { partyIdOf } from "../../../../services/access/party-id.ts";
import { decodeEventBytes } from "../../../../wire/records/event-bytes.ts";
import { code, type Sql } from "../../sql.ts";
import {
  addMove,
  addNotice,
  holdCoins,
  mayTake,
  movesOf,
  quotesOf,
  recordOf,
  swapChannel,
  take,
  tell,
  unkeptOf,
} from "./swap-changes.ts";
import {
  contractOf,
  contractText,
  fundsText,
  inputsOf,
  moveOf,
  type StoredMove,
  type StoredSwap,
  swapOf,
} from "./swap-rows.ts";

const openMax = 1000;

export class PostgresSwaps implements SwapStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async trader(account: number): Promise<Trader> {
    const [row] = await this.#sql<
      { fingerprint: string; party_hint: string; public_key: string }[]
    >`
      select fingerprint, party_hint, public_key from wallet_users where account = ${account}`;
    assert(row !== undefined, "an account with a session must have a wallet");
    const party = partyIdOf(row.party_hint, row.fingerprint);
    return { account, party, publicKey: row.public_key };
  }

  async add(swap: NewSwap, accountMax: number): Promise<SwapRecord | null> {
    const { trader, market, side, askedLots, askedQuote, createdMs, windowEndsMs } = swap;
    const added = await this.#sql.begin(async (sql) => {
      // Serialises requests of one account, so that the limit cannot be exceeded.
      await sql`select pg_advisory_xact_lock(7283, ${trader.account})`;
      const [count] = await sql<{ open: string }[]>`
        select count(*) as open from swaps where account = ${trader.account} and state < ${code(SwapState.settled)}`;
      if (Number(count?.open) >= accountMax) return null;
      const [taken] = await sql<{ swap_no: string }[]>`
        select nextval(pg_get_serial_sequence('swaps', 'swap_no')) as swap_no`;
      const swapNo = Number(taken?.swap_no);
      const swapId = publicId(PublicIdKind.swap, swapNo, createdMs);
      const [row] = await sql<StoredSwap[]>`
        insert into swaps (swap_no, swap_id, account, party, party_key, market, side, asked_lots,
                           asked_quote, state, created_ms, window_ends_ms, due_ms)
        overriding system value
        values (${swapNo}, ${swapId}, ${trader.account}, ${trader.party}, ${trader.publicKey},
                ${market}, ${side}, ${askedLots}, ${askedQuote === null ? null : String(askedQuote)},
                ${SwapState.requested}, ${createdMs}, ${windowEndsMs}, ${windowEndsMs})
        returning *`;
      const made = swapOf(row as StoredSwap);
      const move = { from: SwapState.none, to: SwapState.requested, reason: SwapReason.none };
      const details = { swap_id: swapId, party: trader.party };
      await addMove(sql, made, { ...move, details, atMs: createdMs });
      await tell(sql, swapNo);
      return recordOf(sql, made);
    });
    return added;
  }

  async swap(swapNo: number): Promise<SwapRow | null> {
    const [row] = await this.#sql<StoredSwap[]>`
      select s.*, a.flags, m.auth_cid from swaps s
      left join accounts a using (account) left join settlement_members m using (account)
      where swap_no = ${swapNo}`;
    return row === undefined ? null : swapOf(row);
  }

  async swapsOf({ account, before, limit }: SwapQuery): Promise<SwapRow[]> {
    const rows = await this.#sql<StoredSwap[]>`
      select * from swaps
      where account = ${account} and swap_no < ${before ?? Number.MAX_SAFE_INTEGER}
      order by swap_no desc limit ${limit}`;
    return rows.map(swapOf);
  }

  async open(limit: number): Promise<SwapRow[]> {
    const rows = await this.#sql<StoredSwap[]>`
      select * from swaps where state < ${code(SwapState.settled)} order by swap_no limit ${limit}`;
    return rows.map(swapOf);
  }

  async hasOpen(): Promise<boolean> {
    const [row] = await this.#sql<{ is_open: boolean }[]>`
      select exists (select from swaps where state < ${code(SwapState.settled)})
          or exists (select from swap_moves where seq is null) as is_open`;
    return row?.is_open ?? true;
  }

  async due(nowMs: number): Promise<SwapRow[]> {
    const rows = await this.#sql<StoredSwap[]>`
      select s.*, a.flags, m.auth_cid from swaps s
      left join accounts a using (account) left join settlement_members m using (account)
      where state < ${code(SwapState.settled)} and look_ms <= ${nowMs} order by swap_no limit ${openMax}`;
    return rows.map(swapOf);
  }

  quotes(swapNo: number): Promise<QuoteRow[]> {
    return quotesOf(this.#sql, swapNo);
  }

  moves(swapNo: number): Promise<MoveRow[]> {
    return movesOf(this.#sql, swapNo);
  }

  async addQuote(swapNo: number, quote: Omit<QuoteRow, "quoteNo">, atMs: number): Promise<boolean> {
    const { provider, providerParty, quoteId, priceTicks, lots, validUntilMs } = quote;
    const rows = await this.#sql`
      insert into swap_quotes (swap_no, provider, provider_party, quote_id, price_ticks, lots,
                               valid_until_ms, received_ms)
      values (${swapNo}, ${provider}, ${providerParty}, ${quoteId}, ${priceTicks}, ${lots},
              ${validUntilMs}, ${atMs})
      on conflict (swap_no, provider) do nothing returning quote_no`;
    return rows.length > 0;
  }

  async step(step: SwapStep): Promise<SwapRecord | null> {
    const { swap, to, reason, dueMs, notices, atMs, details } = step;
    const { swapNo, state: from, trader } = swap;
    return this.#sql.begin(async (sql) => {
      if (step.taken !== undefined && !(await mayTake(sql, trader.account, step.taken.unkept)))
        return null;
      const moved = await sql`
        update swaps set
          state = ${to}, reason = ${reason}, due_ms = ${dueMs}, look_ms = 0,
          prepare_for = 0, prepared = null, inputs = null, prepare_fault = null,
          signature = null, is_lock_failed = false, phase = null, dedup_offset = null, submission_id = null, is_unknown = false,
          attempts = 0, refusals = 0
        where swap_no = ${swapNo} and state = ${from} and is_unknown = ${swap.isUnknown}
          and (signature is null) = ${swap.signature === null}
        returning swap_no`;
      if (moved.length === 0) return null;
      if (step.taken !== undefined) await take(sql, swapNo, step.taken, atMs);
      if (step.settled !== undefined) {
        const { updateId, offset } = step.settled;
        await sql`
          update swaps set update_id = ${updateId}, ledger_offset = ${offset}
          where swap_no = ${swapNo}`;
      }
      const [row] = await sql<StoredSwap[]>`select * from swaps where swap_no = ${swapNo}`;
      const moving = swapOf(row as StoredSwap);
      await addMove(sql, moving, { from, to, reason, details, atMs });
      for (const notice of notices) await addNotice(sql, swap.swapId, notice, atMs);
      await tell(sql, swapNo);
      return recordOf(sql, moving);
    });
  }

  async unkept(account: number, sinceMs: number): Promise<number> {
    return unkeptOf(this.#sql, account, sinceMs);
  }

  async extend(swapNo: number, dueMs: number): Promise<void> {
    await this.#sql`
      update swaps set due_ms = greatest(due_ms, ${dueMs})
      where swap_no = ${swapNo} and state = ${SwapState.quoted}`;
  }

  async requestPrepare({ swapNo, state }: SwapRow, phase: SwapPhase): Promise<boolean> {
    const rows = await this.#sql`
      with asked as (
        update swaps set prepare_for = ${phase}, prepared = null, inputs = null,
                         prepare_fault = null, look_ms = 0
        where swap_no = ${swapNo} and state = ${state} and signature is null and not is_unknown
        returning swap_no)
      select pg_notify(${swapChannel}, swap_no::text) from asked`;
    return rows.length > 0;
  }

  async namedCoins({ swapNo, trader }: SwapRow): Promise<NamedCoins> {
    const rows = await this.#sql<{ inputs: string; is_signed: boolean }[]>`
      select inputs, signature is not null as is_signed from swaps
      where account = ${trader.account} and state = ${SwapState.accepted}
        and inputs is not null and swap_no <> ${swapNo}`;
    const of = (isSigned: boolean) =>
      rows.filter((row) => row.is_signed === isSigned).flatMap(({ inputs }) => inputsOf(inputs));
    return { signed: of(true), prepared: of(false) };
  }

  async prepared(
    { swapNo, trader }: SwapRow,
    answer: PreparedSubmission | string,
    inputs: readonly ContractId[] = [],
  ): Promise<void> {
    const isFault = typeof answer === "string";
    const named = JSON.stringify(inputs);
    await this.#sql.begin(async (sql) => {
      await holdCoins(sql, trader.account);
      await sql`
        update swaps set prepared = ${isFault ? null : JSON.stringify(answer)},
                         inputs = ${isFault || inputs.length === 0 ? null : named},
                         prepare_fault = ${isFault ? answer : null}
        where swap_no = ${swapNo} and prepare_for > 0 and signature is null
          and not exists (
            select from swaps other
            where other.account = ${trader.account} and other.state = ${SwapState.accepted}
              and other.signature is not null
              and array(select json_array_elements_text(other.inputs::json))
                  && array(select json_array_elements_text(${named}::text::json)))`;
    });
  }

  async sign(
    { swapNo, state, trader }: SwapRow,
    hash: string,
    signature: string,
    nowMs: number,
  ): Promise<SwapRecord | null> {
    return this.#sql.begin(async (sql) => {
      await holdCoins(sql, trader.account);
      const [row] = await sql<StoredSwap[]>`
        update swaps set signature = ${signature}, taken_signature = ${signature}, look_ms = 0
        where swap_no = ${swapNo} and state = ${state} and signature is null and not is_unknown
          and prepared is not null and prepared::json ->> 'hash' = ${hash} and due_ms > ${nowMs}
          and (state <> ${SwapState.accepted} or sign_before_ms > ${nowMs})
        returning *`;
      if (row === undefined) return null;
      if (row.inputs !== null)
        await sql`
          update swaps set prepared = null, inputs = null, prepare_for = 0
          where account = ${trader.account} and state = ${SwapState.accepted}
            and swap_no <> ${swapNo} and signature is null
            and array(select json_array_elements_text(inputs::json))
                && array(select json_array_elements_text(${row.inputs}::text::json))`;
      await tell(sql, swapNo);
      return recordOf(sql, swapOf(row));
    });
  }

  async keepFunds(swapNo: number, freeUnits: bigint): Promise<void> {
    await this.#sql`
      update swaps set prepared = ${fundsText(freeUnits)}
      where swap_no = ${swapNo} and state = ${SwapState.quoted} and prepare_for > 0`;
  }

  async requestAbort(swapNo: number): Promise<boolean> {
    const rows = await this.#sql`
      with asked as (
        update swaps set is_abort_asked = true, look_ms = 0
        where swap_no = ${swapNo} and state < ${SwapState.executing} returning swap_no)
      select pg_notify(${swapChannel}, swap_no::text) from asked`;
    return rows.length > 0;
  }

  async begin(swapNo: number, attempt: SwapAttempt, needsSignature: boolean): Promise<boolean> {
    const { phase, dedupOffset, submissionId } = attempt;
    const begun = await this.#sql`
      update swaps set phase = ${phase}, dedup_offset = ${dedupOffset},
                       submission_id = ${submissionId}, is_unknown = true,
                       attempts = attempts + 1
      where swap_no = ${swapNo} and (signature is not null or not ${needsSignature})
      returning swap_no`;
    return begun.length > 0;
  }

  async awaitTraffic(swapNo: number, lookMs: number): Promise<void> {
    await this.#sql`
      update swaps set phase = null, dedup_offset = null, submission_id = null, is_unknown = false,
                       attempts = 0, is_lock_failed = true, look_ms = ${lookMs}
      where swap_no = ${swapNo}`;
  }

  async unknown(swapNo: number, lookMs: number): Promise<void> {
    await this.#sql`
      update swaps set is_unknown = true, look_ms = ${lookMs} where swap_no = ${swapNo}`;
  }

  async endPhase(swapNo: number, end: PhaseEnd): Promise<void> {
    const { lookMs, isRefusal, isLockFailed, fault } = end;
    await this.#sql`
      update swaps set phase = null, dedup_offset = null, submission_id = null, is_unknown = false,
                       attempts = 0, signature = null, prepared = null, inputs = null,
                       taken_signature = case when signature is null then taken_signature end,
                       prepare_for = 0, prepare_fault = ${fault},
                       refusals = refusals + ${isRefusal ? 1 : 0},
                       is_lock_failed = is_lock_failed or ${isLockFailed}, look_ms = ${lookMs}
      where swap_no = ${swapNo}`;
  }

  async postpone(swapNo: number, lookMs: number): Promise<void> {
    await this.#sql`update swaps set look_ms = ${lookMs} where swap_no = ${swapNo}`;
  }

  async cursor(): Promise<number | null> {
    const [row] = await this.#sql<{ ledger_offset: string | null }[]>`
      select ledger_offset from swap_cursor`;
    const { ledger_offset: offset } = present(row, "the row of the ledger cursor must exist");
    return offset === null ? null : Number(offset);
  }

  async advance(
    created: readonly SwapContract[],
    archived: readonly ContractId[],
    through: number,
  ): Promise<void> {
    await this.#sql.begin(async (sql) => {
      for (const contract of created) {
        // Anyone can name any swap on the ledger, so ignore contracts that neither side of the swap has signed.
        const sender = contract.legs[0]?.sender ?? null;
        await sql`
          insert into swap_contracts (contract_id, swap_id, body, created_offset)
          select ${contract.contractId}, ${contract.swapId}, ${contractText(contract)},
                 ${contract.offset}::bigint
          where exists (
            select from swaps where swap_id = ${contract.swapId}
            and case ${contract.kind}::text
              when 'allocation' then ${sender}::text in (party, provider_party)
              else ${contract.trader}::text = party and ${contract.provider}::text = provider_party
            end)
          on conflict (contract_id) do nothing`;
      }
      if (archived.length > 0) {
        await sql`
          update swap_contracts set is_archived = true
          where contract_id in (select json_array_elements_text(${JSON.stringify(archived)}::text::json))`;
      }
      await sql`update swap_cursor set ledger_offset = ${through}`;
    });
  }

  async contracts(
    swapId: string,
  ): Promise<readonly (SwapContract & { readonly isArchived: boolean })[]> {
    const rows = await this.#sql<{ body: string; is_archived: boolean }[]>`
      select body, is_archived from swap_contracts
      where swap_id = ${swapId} order by created_offset limit 100`;
    return rows.map((row) => ({ ...contractOf(row.body), isArchived: row.is_archived }));
  }

  async openMoves(limit: number): Promise<MoveRow[]> {
    const rows = await this.#sql<StoredMove[]>`
      select * from swap_moves where seq is null order by move_no limit ${limit}`;
    return rows.map(moveOf);
  }

  async recorded(moveNo: number, seq: number): Promise<void> {
    await this.#sql`update swap_moves set seq = ${seq} where move_no = ${moveNo}`;
  }

  async seqOfMove(moveNo: number): Promise<number | null> {
    // Steps of swaps are written to the journal in the order of their numbers. The event of this step, if it exists, is
    // therefore the first swap event after the previous step's. The kind is in the text instead of a bound value, so
    // that the journal's index of this kind applies.
    const [row] = await this.#sql<{ seq: string; body: Uint8Array }[]>`
      select seq, body from journal
      where kind = ${code(EventKind.swapMoved)}
        and seq > coalesce((select seq from swap_moves where move_no = ${moveNo - 1}), 0)
      order by seq limit 1`;
    if (row === undefined) return null;
    const event = decodeEventBytes(new Uint8Array(row.body), 0, row.body.length);
    const isFound = event.kind === EventKind.swapMoved && event.moveNo === moveNo;
    return isFound ? Number(row.seq) : null;
  }
}
