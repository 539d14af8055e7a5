// Tests of what FIX messages may say: codes are those of their tables, and nothing else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { FixMessage } from "./fix-codec.ts";
import { Tag } from "./fix-fields.ts";
import { readLogon } from "./fix-logon.ts";
import { requestOf } from "./fix-requests.ts";
import { faultOfRequest, streamsWanted } from "./market-data/market-data-request.ts";

const header = "35=TYPE|34=2|49=ME|52=20240611-09:01:46|56=SPOT|";
const order = "11=a|55=CC-USDC|54=1|40=2|38=100.0|44=0.15|59=1|";
const stop = "1100=4|1101=1|1102=0.2|1107=2|1109=U|";
const peg = "1094=5|835=1|836=3|211=1|";
const legs =
  `11=a|55=CC-USDC|54=2|40=4|38=300.0|44=0.05|59=1|${stop}25001=2|25010=1|25011=2|25012=1|25013=2|` +
  "11=b|55=CC-USDC|54=2|40=2|18=6|38=300.0|44=0.3|25001=2|25010=1|25011=1|25012=0|25013=2|";

/** Messages that are taken, and their tags whose values are codes. */
const sound: readonly (readonly [type: string, fields: string, coded: readonly number[]])[] = [
  ["D", `${order}25001=2|9001=Y|25032=N|`, [54, 40, 59, 25001, 9001, 25032]],
  ["D", `${order.replace("40=2", "40=4")}${stop}`, [1100, 1101, 1107, 1109]],
  ["D", `${order.replace("40=2", "40=P")}18=6|${peg}`, [18, 1094, 835, 836]],
  ["E", `25014=l|1385=1|25046=N|9001=Y|73=2|${legs}`, [1385, 25046, 9001, 54, 1109, 25001, 25011]],
  ["F", "11=a|41=b|55=CC-USDC|25002=1|", [25002]],
  ["XCN", `${order}41=b|25033=1|25038=1|25002=1|`, [25033, 25038, 25002]],
  ["q", "11=a|55=CC-USDC|530=1|", [530]],
  ["V", "262=a|263=1|264=1|266=Y|146=1|55=CC-USDC|267=1|269=2|", [263, 264, 266, 55, 269]],
  ["x", "320=a|559=4|", [559]],
  [
    "A",
    "98=0|108=30|141=Y|553=k|96=s|25035=1|25036=1|9406=N|9001=N|",
    [98, 108, 141, 25035, 25036, 9406, 9001],
  ],
];

function read(type: string, fields: string): FixMessage {
  return FixMessage.read((header.replace("TYPE", type) + fields).replaceAll("|", "\x01"));
}

/** What is wrong with a message of any type. */
function faultOf(message: FixMessage) {
  if (message.type === "A") {
    const logon = readLogon(message, false);
    const [, tag = "0"] = typeof logon === "string" ? (/\((\d+)\)/.exec(logon) ?? []) : [];
    return typeof logon === "string" ? { tag: Number(tag) } : undefined;
  }
  if (message.type !== "V" && message.type !== "x") {
    const request = requestOf(message);
    return "reason" in request ? request : undefined;
  }
  const fault = faultOfRequest(message);
  if (fault !== undefined || message.type === "x") return fault;
  const wanted = streamsWanted(message, testMarkets);
  return "reason" in wanted ? wanted : undefined;
}

test("FIX-14 FIX-41 a value that is the name of a property of any object is no code", () => {
  for (const [type, fields, coded] of sound) {
    assert.equal(faultOf(read(type, fields)), undefined, `${type} ${fields}`);
    for (const tag of coded)
      for (const name of ["constructor", "valueOf", "toString", "__proto__"]) {
        const spoilt = fields.replace(new RegExp(`(^|\\|)${tag}=[^|]*`), `$1${tag}=${name}`);
        const message = read(type, spoilt);
        assert.equal(message.fault, null, spoilt);
        const blamed = tag === Tag.listTriggerType ? Tag.noListTriggeringInstructions : tag;
        assert.equal(faultOf(message)?.tag, blamed, `${type} ${spoilt}`);
      }
  }
});
