// Generates FIX messages and requests of SBE clients that are malformed: damaged bytes, and sound frames with any content.

import fc from "fast-check";
import { bytesOf } from "../fix/fix-client.ts";
import { spoiltBytes, spoiltText } from "./spoilt-bytes.ts";

const value = fc.oneof(
  fc.constantFrom("0", "1", "2", "Y", "N", "CC-USDC", "-1", "99999999999999999999", "a&b=c", "%00"),
  fc.string({ minLength: 1, maxLength: 20 }).map((text) => text.replace(/[^ -~]/g, "?")),
);
const tag = fc.oneof(
  fc.constantFrom(11, 37, 38, 40, 41, 44, 54, 55, 59, 73, 146, 262, 263, 264, 267, 269, 530),
  fc.constantFrom(1102, 1109, 1385, 9001, 25000, 25010, 25014, 25015),
  fc.integer({ min: 1, max: 99_999 }),
);
const type = fc.constantFrom(
  ...["8", "A", "D", "E", "F", "V", "W", "q", "x", "XAK", "XCN", "XLQ", "??"],
);

/** A message of a session: a type and fields, which no session takes. */
export interface FuzzedMessage {
  readonly type: string;
  readonly fields: ReadonlyArray<readonly [number, string]>;
}

/**
 * Messages of which none is valid: each has a tag that no message has, so whatever else it says, it must be rejected.
 */
export const fuzzedMessages: fc.Arbitrary<FuzzedMessage> = fc
  .tuple(type, fc.array(fc.tuple(tag, value), { maxLength: 12 }))
  .map(([kind, fields]) => ({ type: kind, fields: [...fields, [9_999, "no"] as const] }));

const head = [
  [35, "D"],
  [34, "2"],
  [49, "CLIENT"],
  [52, "20240611-09:01:46.228"],
  [56, "SPOT"],
] as const;

/** Streams whose framing is broken, of clients that have not logged on. */
export const spoiltStreams: fc.Arbitrary<Buffer> = spoiltBytes(
  fc.constantFrom(
    bytesOf([...head, [11, "id"], [55, "CC-USDC"]]),
    bytesOf([[35, "V"], ...head.slice(1), [262, "a"], [146, 1], [55, "CC-USDC"]]),
    bytesOf([[35, "2"], ...head.slice(1), [7, "1"], [16, "0"]]),
  ),
);

/** Headers with which SBE is asked for wrongly, and paths with any query. */
export const wrongHeaders: fc.Arbitrary<{ readonly accept: string; readonly schema: string }> =
  fc.record({
    accept: fc.constantFrom(
      "application/sbe",
      "application/sbe, application/json",
      "application/sbe;q=2",
    ),
    schema: fc.oneof(
      fc.constantFrom(
        "",
        "3",
        "3:",
        ":5",
        "3:99",
        "4:5",
        "-3:5",
        "3:5:1",
        "3.0:5",
        "99999999999:1",
      ),
      fc.string({ maxLength: 12 }).map((text) => text.replace(/[^ -~]/g, "x").replace("3:", "x")),
    ),
  });

/** Frames of order sessions that are no requests. */
export const wrongFrames: fc.Arbitrary<string> = spoiltText(
  fc.constantFrom(
    '{"id":"a","method":"order.place","params":{"symbol":"CC-USDC","side":"BUY"}}',
    '{"id":7,"method":"depth","params":{"symbol":"NONE","limit":5}}',
    '{"id":null,"method":"none","params":[]}',
    "\u0000\u0001\u0002",
  ),
);
