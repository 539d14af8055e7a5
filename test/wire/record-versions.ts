// Which version numbers a change of the record tables needs. Programs of two versions work side by side during an upgrade,
// and a journal is older than the program that reads it. So what they exchange is compared with what was recorded when
// the numbers were last raised.

import { createHash } from "node:crypto";
import { eventLayout } from "../../schemas/generate/event-codec.ts";
import { codeSets } from "../../schemas/records/code-sets.ts";
import type { Fields } from "../../schemas/records/fields.ts";
import { busHeader, orderClaim, orderUse, reply } from "../../schemas/records/messages.ts";
import {
  commandHeader,
  commandHeaderLayout,
  eventHeader,
  eventHeaderLayout,
} from "../../schemas/records/rows.ts";
import { commands, events } from "../../schemas/records/tables.ts";

type Digests = Readonly<Record<string, string>>;
type Codes = Readonly<Record<string, number>>;

/** The records by sort and name, and the numbers that tell versions of the program apart. */
export interface RecordVersions {
  /** `busProtocol` of src/wire/bus-message.ts. */
  readonly busProtocol: number;
  /** Number of the last migration: an older program does not start on the tables. */
  readonly migration: number;
  /** Headers, replies and what gateways and the leader exchange besides commands and events. */
  readonly messages: Digests;
  readonly commands: Digests;
  readonly events: Digests;
  /** Sets of codes that the records above use. */
  readonly codes: Readonly<Record<string, Codes>>;
  /** Names of the sets that events use. */
  readonly codesOfEvents: readonly string[];
}

/** The fields without their descriptions, whose wording changes nothing. */
function plain(fields: Fields): object {
  return Object.entries(fields).map(([name, { description: _, ...field }]) => [
    name,
    { ...field, ...(field.fields === undefined ? {} : { fields: plain(field.fields) }) },
  ]);
}

function digest(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

function digestsOf<Row>(
  rows: Readonly<Record<string, Row>>,
  partsOf: (row: Row, name: string) => readonly unknown[],
): Digests {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, digest(...partsOf(row, name))]),
  );
}

/** The names of the code sets that these fields use, also inside records. */
function setsIn(tables: readonly Fields[]): string[] {
  const types = tables.flatMap((fields) =>
    Object.values(fields).flatMap(({ type, fields: inner }) =>
      inner === undefined ? [type] : [type, ...setsIn([inner])],
    ),
  );
  return [...new Set(types)].filter((type) => type in codeSets).sort();
}

/** The records as this program has them. */
export function recordsOfToday(numbers: {
  readonly busProtocol: number;
  readonly migration: number;
}): RecordVersions {
  const messages = { busHeader, orderClaim, orderUse, reply };
  const ofEvents = [eventHeader, ...Object.values(events).map(({ fields }) => fields)];
  const ofCommands = [commandHeader, ...Object.values(commands).map(({ fields }) => fields)];
  const all = [...ofEvents, ...ofCommands, ...Object.values(messages).map(({ fields }) => fields)];
  return {
    ...numbers,
    messages: {
      ...digestsOf(messages, ({ fields, layout }) => [plain(fields), layout]),
      commandHeader: digest(plain(commandHeader), commandHeaderLayout),
    },
    commands: digestsOf(commands, ({ code, fields, layout, parts }) => [
      ...[code, plain(fields), layout, parts],
    ]),
    events: {
      eventHeader: digest(plain(eventHeader), eventHeaderLayout),
      ...digestsOf(events, ({ description: _, fields, ...row }, name) => [
        ...[row, plain(fields), eventLayout(name, { description: "", fields, ...row }).slots],
      ]),
    },
    codes: Object.fromEntries(
      setsIn(all).map((name) => [name, { ...codeSets[name as keyof typeof codeSets].codes }]),
    ),
    codesOfEvents: setsIn(ofEvents),
  };
}

/** The names whose value differs, including those that only one of the two has. */
function changed<T>(before: Readonly<Record<string, T>>, now: Readonly<Record<string, T>>) {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
}

/** Says which numbers must be raised, and why; empty if the numbers fit the records. */
export function faultsBetween(before: RecordVersions, now: RecordVersions): string[] {
  const faults: string[] = [];
  const sorts = ["messages", "commands", "events", "codes"] as const;
  const different = sorts.flatMap((sort) => changed<unknown>(before[sort], now[sort]));
  if (different.length > 0 && now.busProtocol === before.busProtocol)
    faults.push(
      `${different.join(", ")} changed: raise busProtocol in src/wire/bus-message.ts to ${before.busProtocol + 1}, ` +
        "because a gateway and a leader of two versions would otherwise misread each other instead of refusing",
    );
  const rewritten = changed(before.events, now.events).filter((name) => name in before.events);
  if (rewritten.length > 0)
    faults.push(
      `${rewritten.join(", ")} changed, but journals have it in its old form, and no number tells the two apart: ` +
        "leave the row as it was and add an event with the next code",
    );
  const renumbered = before.codesOfEvents.filter((name) => {
    const kept = Object.entries(before.codes[name] ?? {});
    return kept.some(([code, value]) => now.codes[name]?.[code] !== value);
  });
  if (renumbered.length > 0)
    faults.push(
      `codes of ${renumbered.join(", ")} were renumbered or removed, but journals have them: add new codes instead`,
    );
  const extended = changed(before.codes, now.codes).filter(
    (name) => before.codesOfEvents.includes(name) && !renumbered.includes(name),
  );
  if (extended.length > 0 && now.migration === before.migration)
    faults.push(
      `${extended.join(", ")} has new codes inside known events, which an older venue would fold without noticing: add ` +
        `migration ${before.migration + 1} in sql, empty but for its comment if need be, so that an older program does ` +
        "not start beside this one",
    );
  return faults;
}
