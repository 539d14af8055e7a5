// Tests of the codec: messages as Binance prints them, streams in pieces of any size, and everything that is not a message.

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatScaled } from "../../../core/money/amounts.ts";
import { FieldWriter, type SharedText, utcTime } from "./field-writer.ts";
import { encodeFix, FixDecoder, type FixMessage, readUtcTime, sharedText } from "./fix-codec.ts";

const soh = "\x01";

function bytesOf(shown: string): Buffer {
  return Buffer.from(shown.replaceAll("|", soh), "latin1");
}

/** The bytes of a message with this body, with the right length and checksum. */
function framed(body: string): Buffer {
  const text = `8=FIX.4.4|9=${body.length}|${body}`.replaceAll("|", soh);
  const sum = Buffer.from(text, "latin1").reduce((total, byte) => total + byte, 0) % 256;
  return Buffer.from(`${text}10=${String(sum).padStart(3, "0")}${soh}`, "latin1");
}

function decoded(bytes: Buffer, size = bytes.length) {
  const decoder = new FixDecoder();
  const messages: FixMessage[] = [];
  let fault: string | null = null;
  for (let at = 0; at < bytes.length && fault === null; at += size)
    fault = decoder.take(
      bytes.subarray(at, at + size),
      (message) => messages.push(message),
      () => true,
    );
  return { messages, fault };
}

const order =
  "8=FIX.4.4|9=95|35=q|34=2|49=dpYPesqv|52=20240613-01:24:36.948|56=SPOT|11=1718241876901971671|55=BTCUSDT|530=1|10=243|";
const list =
  "8=FIX.4.4|9=82|35=XLQ|34=2|49=7buKHZxZ|52=20240614-05:35:35.357|56=SPOT|6136=1718343335357229749|10=170|";

test("FIX-3 the examples of the documentation are read, in pieces of any size", () => {
  const bytes = bytesOf(order + list + order);
  for (const size of [1, 2, 7, 100, bytes.length]) {
    const { messages, fault } = decoded(bytes, size);
    assert.equal(fault, null);
    assert.deepEqual(
      messages.map((message) => [message.type, message.seq, message.get(55), message.fault]),
      [
        ["q", 2, "BTCUSDT", null],
        ["XLQ", 2, undefined, null],
        ["q", 2, "BTCUSDT", null],
      ],
    );
  }
});

test("FIX-3 what is written is what the documentation shows", () => {
  const head = { sender: "SPOT", target: "5JQmUOsm", seq: 1, sentUs: 1718182341636837 };
  const fields = `98=0${soh}108=30${soh}25037=4392a152-3481-4499-921a-6d42c50702e2${soh}`;
  const text = encodeFix("A", fields, head);
  const shown =
    "8=FIX.4.4|9=113|35=A|34=1|49=SPOT|52=20240612-08:52:21.636837|56=5JQmUOsm|98=0|108=30|25037=4392a152-3481-4499-921a-6d42c50702e2|10=051|";
  assert.equal(text.replaceAll(soh, "|"), shown);
});

test("FIX-3 a stream whose framing is broken is given up", () => {
  const faults: readonly (readonly [string, RegExp])[] = [
    ["GET / HTTP/1.1\r\n\r\n", /must begin/],
    ["8=FIX.4.2|9=5|35=0|10=000|", /must begin/],
    ["8=FIX.4.4|9=|35=0|10=000|", /from 5 to/],
    ["8=FIX.4.4|9=x|35=0|10=000|", /from 5 to/],
    ["8=FIX.4.4|9=0000000000005|35=0|10=000|", /from 5 to/],
    ["8=FIX.4.4|9=00000000000000000", /from 5 to/],
    ["8=FIX.4.4|9=99999|35=0|", /from 5 to/],
    [order.replace("9=95", "9=94"), /BodyLength/],
    [order.replace("10=243", "10=244"), /CheckSum/],
    [order.replace("530=1", "530=2"), /CheckSum/],
  ];
  for (const [text, expected] of faults) assert.match(decoded(bytesOf(text)).fault ?? "", expected);
});

test("FIX-4 a fault within a message is reported with the message", () => {
  const head = "35=D|34=7|";
  const fields = (count: number) =>
    Array.from({ length: count }, (_, at) => `${1000 + at}=1|`).join("");
  const cases: readonly (readonly [string, number, number, number])[] = [
    [`${head}55=A|55=B|`, 13, 55, -1171],
    [`${head}55=|`, 6, 55, -1130],
    [`${head}55=\x07|`, 6, 55, -1130],
    [`${head}junk|`, 0, 0, -1169],
    [`${head}05=1|`, 0, 0, -1169],
    ["34=7|35=D|", 14, 35, -1172],
    [`${head}${fields(127)}`, 99, 0, -1101],
  ];
  for (const [body, ...fault] of cases) {
    const [message] = decoded(framed(body)).messages;
    assert.equal(message?.seq, 7, body);
    assert.deepEqual([message.fault?.reason, message.fault?.tag, message.fault?.code], fault, body);
  }
  assert.equal(decoded(framed(`${head}${fields(126)}`)).messages[0]?.fault, null);
});

test("FIX-4 a repeating group is read entry by entry, and its count must be right", () => {
  const head = "35=V|34=7|262=x|";
  const [message] = decoded(framed(`${head}146=2|55=A|55=B|267=1|269=2|264=1|`)).messages;
  assert.equal(message?.fault, null);
  assert.deepEqual(
    message.group(146).map((entry) => entry.get(55)),
    ["A", "B"],
  );
  assert.deepEqual(
    [message.group(267).length, message.get(264), message.get(55)],
    [1, "1", undefined],
  );
  assert.deepEqual(decoded(framed(`${head}146=0|264=1|`)).messages[0]?.fault, null);
  const cases: readonly (readonly [string, number, number, number])[] = [
    ["146=1|55=A|55=B|", 16, 146, -1188],
    ["146=2|55=A|264=1|", 16, 146, -1188],
    ["146=2|55=A|", 16, 146, -1188],
    ["146=x|55=A|", 6, 146, -1130],
    ["146=1|55=A|264=1|55=B|55=C|", 13, 55, -1171],
  ];
  for (const [body, ...expected] of cases) {
    const fault = decoded(framed(head + body)).messages[0]?.fault;
    assert.deepEqual([fault?.reason, fault?.tag, fault?.code], expected, body);
  }
  const order = decoded(framed("35=E|34=7|73=1|55=A|11=a|")).messages[0]?.fault;
  assert.deepEqual([order?.reason, order?.tag, order?.code], [15, 55, -1173]);
  const early = decoded(framed(`${head}146=2|55=A|999=1|55=B|`)).messages[0]?.fault;
  assert.match(early?.text ?? "", /before tag 999: 1/);
});

test("FIX-3 the shared part of a message is the same as if it were written alone", () => {
  const head = { sender: "SPOT", target: "ME", seq: 1, sentUs: 1718182341636837 };
  const [own, shared] = [`11=a${soh}`, `55=B${soh}`];
  for (const part of [shared, "", shared, `44=1${soh}`, shared])
    assert.equal(encodeFix("8", own, head, sharedText(part)), encodeFix("8", own + part, head));
});

test("FIX-3 what ended with an exception leaves nothing in the next message", () => {
  const head = { sender: "SPOT", target: "ME", seq: 1, sentUs: 1718182341636837 };
  const whole = encodeFix("8", "", head);
  assert.throws(() => encodeFix("8", "", { ...head, sentUs: Number.NaN }), RangeError);
  assert.equal(encodeFix("8", "", head), whole);
});

test("FIX-3 fields written as bytes read like their texts, and have their sum", () => {
  const writer = new FieldWriter();
  const taken = (): SharedText => {
    const fields = writer.take();
    writer.begin();
    return fields;
  };
  const figures = [0, 1, 9, 10, 99, 999_999_999, 1e9, 1e9 + 1, 12_345_678_901, 2 ** 53 - 1];
  for (const figure of figures) {
    writer.whole(34, figure);
    assert.deepEqual(taken(), sharedText(`34=${figure}${soh}`));
    for (const decimals of [0, 1, 6, 8, 10]) {
      for (const value of [figure, -figure, BigInt(figure), BigInt(figure) * 10n ** 9n]) {
        const places = Math.max(8, decimals);
        writer.scaled(44, value, decimals, places);
        const text = formatScaled(value, decimals) + (decimals === 0 ? "." : "");
        assert.deepEqual(taken(), sharedText(`44=${text}${"0".repeat(places - decimals)}${soh}`));
        writer.scaled(44, value, decimals, decimals);
        assert.deepEqual(taken(), sharedText(`44=${formatScaled(value, decimals)}${soh}`));
      }
    }
  }
  for (const us of [1718096506228950, 1718096506000000, 1718096507000001, 0]) {
    writer.time(60, us);
    assert.deepEqual(taken(), sharedText(`60=${utcTime(us)}${soh}`));
  }
  writer.text(55, "CC-USDC");
  writer.text(54, "");
  assert.deepEqual(taken(), sharedText(`55=CC-USDC${soh}54=${soh}`));
  for (let field = 0; field < 1000; field++) writer.text(55, "CC-USDC-LONG");
  assert.throws(() => taken(), /fit in a message/);
});

test("times have the formats of the documentation", () => {
  assert.equal(utcTime(1718096506228950), "20240611-09:01:46.228950");
  assert.equal(readUtcTime("20240611-09:01:46.228950"), 1718096506228950);
  assert.equal(readUtcTime("20240611-09:01:46.228"), 1718096506228000);
  assert.equal(readUtcTime("20240611-09:01:46"), 1718096506000000);
  for (const text of [
    "",
    "20241311-09:01:46",
    "2024-06-11T09:01:46Z",
    "20240611-09:01",
    "20240632-09:01:46",
  ])
    assert.equal(readUtcTime(text), null, text);
});
