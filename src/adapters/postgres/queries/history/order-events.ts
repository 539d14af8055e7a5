// Reads the events of an account's orders from the journal. No index finds them, so that orders cost the journal nothing:
// a range of it is read, in statements of bounded length. What happened to these orders before the range is found by
// indexes over the bytes of the orders' ids.

import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import type {
  OrderEventQuery,
  OrderEventReader,
  OrderOriginQuery,
} from "../../../../ports/journal/order-events.ts";
import { tradedLayout } from "../../../../wire/generated/event-layout.ts";
import { decodeEventBytes } from "../../../../wire/records/event-bytes.ts";
import type { Sql } from "../../connection.ts";
import { accountBytes, idBytes, preventedMaker, preventedTaker } from "../event-bytes.ts";
import { changesTermsOf, quoteAmends } from "../order-changes.ts";
import { type BoundStatement, Values } from "./bound-statement.ts";

/** Events of the journal that one statement reads: about a tenth of a second. */
const statementEvents = 262_144;

const { orderAccepted, specialAccepted, icebergAccepted, traded, orderClosed } = EventKind;
const { orderTriggered, orderAmended, quoteAmended, orderReduced, orderReleased } = EventKind;
const kinds = [
  ...[orderAccepted, specialAccepted, icebergAccepted, traded, orderClosed],
  ...[orderTriggered, orderAmended, quoteAmended, orderReduced, orderReleased],
].join(", ");

/** Selects the account's events, and the last event of the range, which shows that the journal reaches so far. */
function eventsStatement({ account, afterSeq, untilSeq, limit }: OrderEventQuery): BoundStatement {
  const values = new Values();
  const makerKey = `decode(${values.bind(accountBytes(account))}, 'hex')`;
  const maker = `substring(body from ${tradedLayout.makerAccount + 1} for 4) = ${makerKey}`;
  const until = values.bind(untilSeq);
  return {
    text: `select seq, body from journal
      where seq > ${values.bind(afterSeq)} and seq <= ${until}
        and ((account = ${values.bind(account)} and kind in (${kinds}))
          or (kind = ${traded} and ${maker}) or seq = ${until})
      order by seq limit ${values.bind(limit)}`,
    values: values.bound,
  };
}

function originsStatement(query: OrderOriginQuery): BoundStatement {
  const { account, orderIds, olderIds, afterSeq, untilSeq } = query;
  const values = new Values();
  // One value for each list, so that the text is always the same and is prepared once.
  const list = (texts: readonly (string | number)[]) =>
    `string_to_array(${values.bind(texts.join(","))}, ',')`;
  const keys = (ids: readonly number[]) =>
    `any(array(select decode(id, 'hex') from unnest(${list(ids.map(idBytes))}) as id))`;
  const prevented = (order: string) => `select seq, body from journal
    where ${order} = ${keys(orderIds)} and seq <= ${values.bind(untilSeq)}`;
  const until = `${values.bind(afterSeq)}::bigint`;
  return {
    text: `select seq, body from (
        select seq, body from journal where seq = any(array(
          select first_event_since(created_us) from orders
          where account = ${values.bind(account)} and order_id = any(${list(olderIds)}::bigint[])))
        union all
        select seq, body from journal
        where ${changesTermsOf(keys(olderIds))} and seq <= ${until}
        union all
        select quoted.seq, quoted.body
        from unnest(${list(olderIds)}::bigint[], ${list(olderIds.map(idBytes))}) as older (order_id, id),
          lateral (${quoteAmends({ orderId: "older.order_id", key: "decode(older.id, 'hex')" }, "0", until)}) as quoted
        union ${prevented(preventedTaker)}
        union ${prevented(preventedMaker)}) as origins
      order by seq`,
    values: values.bound,
  };
}

interface EventRow {
  readonly seq: string;
  readonly body: Buffer;
}

export class PostgresOrderEvents implements OrderEventReader {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async orderEvents(query: OrderEventQuery): Promise<VenueEvent[] | null> {
    const { afterSeq, untilSeq, limit } = query;
    const events: VenueEvent[] = [];
    for (let from = afterSeq; from < untilSeq; from += statementEvents) {
      const to = Math.min(from + statementEvents, untilSeq);
      // Two more, so that both the end of the part and too many events are seen.
      const part = { ...query, afterSeq: from, untilSeq: to, limit: limit - events.length + 2 };
      const found = await this.#select(eventsStatement(part));
      events.push(...found);
      if (events.length > limit) return null;
      if (found.at(-1)?.seq !== to) throw new Error(`the journal does not reach event ${to}`);
    }
    return events;
  }

  async orderOrigins(query: OrderOriginQuery): Promise<VenueEvent[]> {
    return this.#select(originsStatement(query));
  }

  async #select({ text, values }: BoundStatement): Promise<VenueEvent[]> {
    const rows = await this.#sql.unsafe<EventRow[]>(text, values);
    return rows.map(({ body }) => decodeEventBytes(body, 0, body.length));
  }
}
