// Proves order lists over FIX: each form of REST, their reports and statuses, cancels by either id, and refusals.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FrontFixture, TestKey } from "../surface/front-fixture.ts";
import { type Fields, type FixClient, type FixKey, type Pairs, pairsOf } from "./fix-client.ts";
import { FixFront } from "./fix-front.ts";

let fix: FixFront;
let front: FrontFixture;
let rest: TestKey;
let key: FixKey;

before(async () => {
  fix = await FixFront.open();
  front = fix.front;
  ({ rest, key } = await fix.trader());
  front.venue.credit(rest.account, 1, 1, 10n ** 11n);
});
after(() => fix.close());

let names = 0;

function loggedOn(more: Record<number, string | number> = {}): Promise<FixClient> {
  return fix.loggedOn(key, more, `L${names++}`);
}

type Order = Readonly<Record<number, string | number>>;
type Instruction = readonly [type: number, index: number, action: number];

/** The fields of one order of a list, which begin with its ClOrdID. */
function entry(clOrdId: string, order: Order, ...instructions: readonly Instruction[]): Pairs {
  return [
    [11, clOrdId],
    ...pairsOf({ 55: "CC-USDC", 38: "300.0", ...order }),
    ...(instructions.length === 0 ? [] : [[25010, instructions.length] as const]),
    ...instructions.flatMap(([type, index, action]) => [
      ...[[25011, type] as const, [25012, index] as const, [25013, action] as const],
    ]),
  ];
}

function place(client: FixClient, id: string, type: 1 | 2, orders: Pairs[], more: Pairs = []) {
  client.send("E", [[25014, id], [1385, type], ...more, [73, orders.length], ...orders.flat()]);
}

const isNew = (fields: Fields) => fields[35] === "8" && fields[150] === "0";
const isCancel = (fields: Fields) => fields[35] === "8" && fields[150] === "4";

const limitSell = { 40: 2, 54: 2, 59: 1 };
const above = { 40: 2, 18: 6, 54: 2, 44: "0.3000" };
const below = { 40: 3, 54: 2, 1100: 4, 1101: 1, 1102: "0.0500", 1107: 2, 1109: "D" };
const buy = { 40: 2, 54: 1, 59: 1, 44: "0.1200" };

test("FIX-43 an OCO, an OTO, an OTOCO, an OPO and an OPOCO are the lists of REST", async () => {
  const client = await loggedOn();
  const forms: readonly (readonly [string, 1 | 2, Pairs[], Pairs?])[] = [
    ["oco", 1, [entry("oco-1", below, [2, 1, 2]), entry("oco-2", above, [1, 0, 2])]],
    ["oto", 2, [entry("oto-1", buy), entry("oto-2", { ...limitSell, 44: "0.2000" }, [3, 0, 1])]],
    [
      ...(["otoco", 2] as const),
      [
        entry("otoco-1", buy),
        entry("otoco-2", below, [3, 0, 2], [2, 2, 2]),
        entry("otoco-3", above, [3, 0, 1], [1, 1, 2]),
      ],
    ],
    [
      ...(["opo", 2] as const),
      [
        entry("opo-1", buy),
        entry("opo-2", { ...limitSell, 44: "0.2000" }, [3, 0, 1]).filter(([tag]) => tag !== 38),
      ],
      [[25046, "Y"]],
    ],
    [
      ...(["opoco", 2] as const),
      [
        entry("opoco-1", buy),
        entry("opoco-2", below, [3, 0, 2], [2, 2, 2]).filter(([tag]) => tag !== 38),
        entry("opoco-3", above, [3, 0, 2], [1, 1, 2]).filter(([tag]) => tag !== 38),
      ],
      [[25046, "Y"]],
    ],
  ];
  for (const [id, type, orders, more = []] of forms) {
    place(client, id, type, orders, more);
    const reports = [];
    for (const _ of orders) reports.push((await client.next(isNew))[11]);
    const status = await client.ofType("N");
    const last = client.messages.slice(-1 - orders.length).map(({ 35: kind }) => kind);
    assert.deepEqual(last, [...orders.map(() => "8"), "N"], "the ListStatus follows the reports");
    assert.deepEqual(
      [status[25014], status[1385], status[429], status[431], status[73]],
      [id, String(type), "4", "3", String(orders.length)],
    );
    assert.deepEqual(reports.sort(), orders.map(([first]) => first?.[1]).sort());
    const query = { origClientOrderId: id };
    const { json } = await front.send("GET", "/compat/api/v3/orderList", query, { key: rest });
    const contingency = type === 1 ? "OCO" : "OTO";
    assert.deepEqual([json.contingencyType, json.listStatusType], [contingency, "EXEC_STARTED"]);
    client.send("F", [
      [11, `end-${id}`],
      [55, "CC-USDC"],
      [25015, id],
    ]);
    for (const _ of orders) assert.equal((await client.next(isCancel))[11], `end-${id}`);
  }
});

test("FIX-44 a list is cancelled by either id, and a session of answers hears of its own lists", async () => {
  const client = await loggedOn({ 25036: 2 });
  const pair = () => [entry("c-1", below, [2, 1, 2]), entry("c-2", above, [1, 0, 2])];
  place(client, "cancelled", 1, pair());
  const { 66: listId = "" } = await client.ofType("N");
  client.send("F", [
    [11, "bye"],
    [55, "CC-USDC"],
    [66, listId],
  ]);
  const cancelled = [await client.next(isCancel), await client.next(isCancel)];
  assert.deepEqual(
    cancelled.map((report) => [report[11], report[66]]),
    [
      ["bye", listId],
      ["bye", listId],
    ],
  );
  assert.deepEqual((await client.ofType("N"))[429], "5");
  client.send("F", [
    [11, "again"],
    [55, "CC-USDC"],
    [25015, "unknown"],
  ]);
  const refused = await client.ofType("9");
  assert.deepEqual([refused[11], refused[25015], refused[25016]], ["again", "unknown", "-2011"]);
});

test("FIX-45 a list that is refused gets a ListStatus, and one that is malformed a Reject with the tag", async () => {
  const client = await loggedOn();
  const rich = { 38: "900000.0" };
  place(client, "poor", 1, [
    entry("p-1", { ...below, ...rich }, [2, 1, 2]),
    entry("p-2", { ...above, ...rich }, [1, 0, 2]),
  ]);
  const status = await client.ofType("N");
  assert.deepEqual(
    [status[25014], status[429], status[431], status[1386], status[25016], status[73]],
    ["poor", "2", "7", "99", "-2010", "2"],
  );
  const pair = [entry("b-1", below, [2, 1, 2]), entry("b-2", above, [1, 0, 2])];
  const [first = [], second = []] = pair;
  const cases: readonly (readonly [1 | 2, Pairs[], string])[] = [
    [1, [first], "73"],
    [1, [first, second, second], "73"],
    [2, pair, "25010"],
    [1, [first, entry("b-2", above)], "25010"],
    [1, [first, entry("b-2", above, [2, 0, 2])], "25010"],
    [1, [first, entry("b-2", { ...above, 38: "50.0" }, [1, 0, 2])], "38"],
    [1, [first, entry("b-2", { ...above, 54: 1 }, [1, 0, 2])], "54"],
    [1, [first, entry("b-2", { ...above, 55: "BTC-USDC" }, [1, 0, 2])], "55"],
    [1, [first, entry("b-2", { ...above, 25001: 2 }, [1, 0, 2])], "25001"],
    [1, [first, entry("b-2", { ...above, 152: "5" }, [1, 0, 2])], "152"],
    [1, [first, entry("b 2", above, [1, 0, 2])], "11"],
    [1, [first, entry("b-2", { ...above, 44: "x" }, [1, 0, 2])], "44"],
    [1, [first, entry("b-2", { ...limitSell, 44: "0.3000", 40: 9 }, [1, 0, 2])], "40"],
  ];
  for (const [type, orders, tag] of cases) {
    place(client, "bad", type, orders);
    const reject = await client.ofType("3");
    assert.deepEqual([reject[372], reject[371]], ["E", tag], JSON.stringify(orders.at(-1)));
  }
});
