// The repeating groups of the messages that the venue takes: which field counts the entries, which one begins each entry,
// and which ones may be in it. A tag can appear once in each entry.

import { MsgType, Tag } from "./fix-fields.ts";
import { newOrder } from "./fix-order-fields.ts";

export interface EntryShape {
  /** The tag with which each entry begins. */
  readonly first: number;
  readonly members: ReadonlySet<number>;
  /** Groups within an entry, by the tag that counts their entries. */
  readonly groups: Groups;
}

type Groups = ReadonlyMap<number, EntryShape>;

const noGroups: Groups = new Map();

function shapeOf(first: number, more: readonly number[] = [], groups = noGroups): EntryShape {
  return { first, members: new Set([first, ...more, ...groups.keys()]), groups };
}

const instructions = shapeOf(Tag.listTriggerType, [
  Tag.listTriggerTriggerIndex,
  Tag.listTriggerAction,
]);
const orderOfList = shapeOf(
  Tag.clOrdId,
  newOrder.map(([tag]) => tag),
  new Map([[Tag.noListTriggeringInstructions, instructions]]),
);

const groupsByType: ReadonlyMap<string, Groups> = new Map<string, Groups>([
  [MsgType.newOrderList, new Map([[Tag.noOrders, orderOfList]])],
  [
    MsgType.marketDataRequest,
    new Map([
      [Tag.noRelatedSym, shapeOf(Tag.symbol)],
      [Tag.noMdEntryTypes, shapeOf(Tag.mdEntryType)],
    ]),
  ],
]);

/** The groups of a message type, by the tag that counts their entries; undefined if it has none. */
export function groupsOf(type: string): Groups | undefined {
  return groupsByType.get(type);
}
