// NewOrderList as the request of REST for a list of that form. The orders come in Binance's sequence: in an OCO the one below
// the market first, in the others the working order first. What triggers or cancels which order follows from the form, so
// the instructions of a message only have to say the same. Spec FIX-43.

import { prefixed } from "../spot/listed-orders.ts";
import type { FieldFault, FieldSet } from "./field-set.ts";
import type { FixMessage } from "./fix-codec.ts";
import { Tag } from "./fix-fields.ts";
import {
  type FixRequest,
  Form,
  incorrect,
  type Parameters,
  parametersOf,
  queryOf,
  required,
} from "./fix-form.ts";
import { acknowledged, cancelsWithConnection, newOrder, typeOf } from "./fix-order-fields.ts";

/** Codes of ContingencyType (1385). */
const Contingency = { oneCancelsOther: "1", oneTriggersOther: "2" } as const;

/** An order's part in a list. */
interface Role {
  /** Prefix of its parameters, and of the side and quantity that it shares with orders of the same prefix. */
  readonly prefix: string;
  readonly shared: string;
  readonly isPending: boolean;
  /** Place of the order that it cancels and that cancels it. */
  readonly rival?: number;
}

const working: Role = { prefix: "working", shared: "working", isPending: false };
const oco: readonly Role[] = [
  { prefix: "below", shared: "", isPending: false, rival: 1 },
  { prefix: "above", shared: "", isPending: false, rival: 0 },
];
const oto: readonly Role[] = [working, { prefix: "pending", shared: "pending", isPending: true }];
const otoco: readonly Role[] = [
  working,
  { prefix: "pendingBelow", shared: "pending", isPending: true, rival: 2 },
  { prefix: "pendingAbove", shared: "pending", isPending: true, rival: 1 },
];

const ofList = new Form([
  [Tag.clListId, required("listClientOrderId")],
  [
    Tag.contingencyType,
    {
      isRequired: true,
      codes: { [Contingency.oneCancelsOther]: "", [Contingency.oneTriggersOther]: "" },
    },
  ],
  [Tag.opo, { codes: { Y: "", N: "" } }],
  [Tag.noOrders, { isRequired: true }],
  cancelsWithConnection,
]);

/** The fields of an order of a list: those of a single order, but its quantity is not in the quote asset. */
const ofOrder = new Form([
  ...newOrder.filter(([tag]) => tag !== Tag.cashOrderQty),
  [Tag.noListTriggeringInstructions, {}],
]);

/** Parameters of an order that are those of its list, or of all its orders with one prefix. */
const listNames: ReadonlySet<string> = new Set(["symbol", "selfTradePreventionMode"]);
const sharedNames: ReadonlySet<string> = new Set(["side", "quantity"]);

/** The request that a NewOrderList asks for, or what is wrong with it. */
export function listOf(message: FixMessage): FixRequest | FieldFault {
  const head = parametersOf(message, ofList, message.type);
  if ("reason" in head) return head;
  const entries = message.group(Tag.noOrders);
  const isOco = message.get(Tag.contingencyType) === Contingency.oneCancelsOther;
  const isOpo = message.get(Tag.opo) === "Y";
  if (isOco && isOpo) return incorrect(Tag.opo);
  const roles = [oto, otoco].find(({ length }) => length === entries.length);
  if (roles === undefined || (isOco && roles !== oto)) return incorrect(Tag.noOrders);
  const legs = legsOf(message, isOco ? oco : roles);
  if ("reason" in legs) return legs;
  const name = isOco ? "oco" : `${isOpo ? "opo" : "oto"}${roles === otoco ? "co" : ""}`;
  return {
    method: `api orderList.place.${name}`,
    query: queryOf([...head, ...new Map(legs), acknowledged]),
  };
}

/** The parameters of all orders, by the names that they have in a list. */
function legsOf(message: FixMessage, roles: readonly Role[]): Parameters | FieldFault {
  const named: [string, string][] = [];
  const types: string[] = [];
  const entries = message.group(Tag.noOrders);
  for (const [place, entry] of entries.entries()) {
    const parameters = parametersOf(entry, ofOrder, message.type);
    if ("reason" in parameters) return parameters;
    const type = typeOf(entry);
    if (typeof type !== "string") return type;
    types.push(type);
    const role = roles[place] ?? working;
    for (const [name, value] of [...parameters, ["type", type] as const])
      named.push([nameInList(name, role), value]);
  }
  return differenceOf(entries, roles) ?? instructionFault(entries, roles, types) ?? named;
}

function nameInList(name: string, { prefix, shared }: Role): string {
  if (listNames.has(name)) return name;
  if (!sharedNames.has(name)) return prefixed(prefix, name);
  return shared === "" ? name : prefixed(shared, name);
}

/** A tag whose value must be the same in several orders, and is not. */
function differenceOf(
  entries: readonly FieldSet[],
  roles: readonly Role[],
): FieldFault | undefined {
  for (const [tag, { parameter = "" }] of ofOrder.fields) {
    const isOfList = listNames.has(parameter);
    if (!isOfList && !sharedNames.has(parameter)) continue;
    const values = new Map<string, string>();
    for (const [place, entry] of entries.entries()) {
      const scope = isOfList ? "" : (roles[place]?.shared ?? "");
      const value = entry.get(tag) ?? "";
      if ((values.get(scope) ?? value) !== value)
        return incorrect(tag, `Tag ${tag} must be the same in these orders of the list.`);
      values.set(scope, value);
    }
  }
  return undefined;
}

/** An order whose instructions are not those of its part in the list. */
function instructionFault(
  entries: readonly FieldSet[],
  roles: readonly Role[],
  types: readonly string[],
): FieldFault | undefined {
  for (const [place, entry] of entries.entries()) {
    const given = entry
      .group(Tag.noListTriggeringInstructions)
      .map((one) => instructionTags.map((tag) => one.get(tag) ?? "").join(" "));
    const wanted = instructionsOf(roles[place] ?? working, types);
    const fits =
      given.length === wanted.length && wanted.every((one, at) => one.test(given[at] ?? ""));
    if (fits) continue;
    const tag = Tag.noListTriggeringInstructions;
    return incorrect(tag, `The instructions of order ${place + 1} are not those of its list.`);
  }
  return undefined;
}

const instructionTags = [
  Tag.listTriggerType,
  Tag.listTriggerTriggerIndex,
  Tag.listTriggerAction,
] as const;

/**
 * What Binance demands: a pending order begins once the working order is filled; of two rivals, one is cancelled when the
 * other becomes active or, if that rests from the start, has traded. Binance writes the release of a pending rival as a
 * cancel, so both codes are taken.
 */
function instructionsOf({ isPending, rival }: Role, types: readonly string[]): RegExp[] {
  const wanted: RegExp[] = [];
  if (isPending) wanted.push(rival === undefined ? /^3 0 1$/ : /^3 0 [12]$/);
  if (rival !== undefined)
    wanted.push(new RegExp(`^${types[rival] === "LIMIT_MAKER" ? 2 : 1} ${rival} 2$`));
  return wanted;
}

/** The tag that became the parameter `name` of a list; 0 if there is none. */
export function tagInList(name: string): number {
  for (const [tag, { parameter }] of ofList.fields) if (parameter === name) return tag;
  const roles = [...oco, ...oto, ...otoco];
  for (const [tag, { parameter }] of ofOrder.fields) {
    const own = tag === Tag.ordType ? "type" : parameter;
    if (own !== undefined && roles.some((role) => nameInList(own, role) === name)) return tag;
  }
  return 0;
}
