// Reads a Logon: what the client proves, and what it asks for. Spec FIX-12, FIX-13.

import { type FixMessage, readNumber, readUtcTime } from "./fix-codec.ts";
import { Tag } from "./fix-fields.ts";
import { heartBtIntMax, heartBtIntMin } from "./fix-limits.ts";

export interface FixLogon {
  readonly apiKey: string;
  /** The text that the client has signed, and its signature in base64. */
  readonly signedText: string;
  readonly signature: string;
  readonly sentUs: number;
  readonly recvWindow: string | undefined;
  readonly heartBtSeconds: number;
  /** True if messages are handled strictly in the order sent. */
  readonly isSequential: boolean;
  /** True if the session gets only reports that answer its own requests. */
  readonly onlyAcks: boolean;
  readonly isDropCopy: boolean;
  readonly cancelsOnDisconnect: boolean;
  /** True if the numbers of earlier connections are continued. */
  readonly isContinued: boolean;
  /** The number that the client expects of the venue's answer; null if it does not say so. */
  readonly nextExpected: number | null;
}

/** A rule of one field of a Logon, and what is said when it is broken. */
interface Rule {
  readonly tag: number;
  allows(value: string): boolean;
  readonly text: string;
}

const oneOf = (tag: number, values: readonly string[], text: string): Rule => ({
  tag,
  allows: (value) => values.includes(value),
  text,
});
const present = (tag: number, text: string): Rule => ({ tag, allows: (one) => one !== "", text });

/** Checked in this order. A missing field is an empty text. */
const rules: readonly Rule[] = [
  oneOf(Tag.encryptMethod, ["0"], "EncryptMethod (98) must be 0."),
  {
    tag: Tag.heartBtInt,
    allows: (text) =>
      /^\d{1,2}$/.test(text) && Number(text) >= heartBtIntMin && Number(text) <= heartBtIntMax,
    text: `HeartBtInt (108) must be a whole number of seconds from ${heartBtIntMin} to ${heartBtIntMax}.`,
  },
  oneOf(Tag.resetSeqNumFlag, ["Y", "N"], "ResetSeqNumFlag (141) must be Y or N."),
  {
    tag: Tag.nextExpectedMsgSeqNum,
    allows: (text) => text === "" || (readNumber(text) ?? 0) > 0,
    text: "NextExpectedMsgSeqNum (789) must be a number from 1.",
  },
  {
    tag: Tag.sendingTime,
    allows: (text) => readUtcTime(text) !== null,
    text: "SendingTime (52) is missing or not a UTCTIMESTAMP.",
  },
  present(Tag.username, "Username (553) must be the API key."),
  present(Tag.rawData, "RawData (96) must be the signature."),
  oneOf(
    Tag.messageHandling,
    ["1", "2"],
    "MessageHandling (25035) must be 1 (UNORDERED) or 2 (SEQUENTIAL).",
  ),
  oneOf(
    Tag.responseMode,
    ["", "1", "2"],
    "ResponseMode (25036) must be 1 (EVERYTHING) or 2 (ONLY_ACKS).",
  ),
  oneOf(Tag.dropCopyFlag, ["", "Y", "N"], "DropCopyFlag (9406) must be Y or N."),
  oneOf(Tag.cancelOnDisconnect, ["", "Y", "N"], "CancelOnDisconnect (9001) must be Y or N."),
];

/** The terms of a Logon, or why it is refused. A session of market data has no orders and no copies of them. */
export function readLogon(message: FixMessage, isMarketData: boolean): FixLogon | string {
  const get = (tag: number) => message.get(tag) ?? "";
  const broken = rules.find(({ tag, allows }) => !allows(get(tag)));
  if (broken !== undefined) return broken.text;
  const isDropCopy = get(Tag.dropCopyFlag) === "Y";
  const cancelsOnDisconnect = get(Tag.cancelOnDisconnect) === "Y";
  if (isDropCopy && isMarketData)
    return "DropCopyFlag (9406) must be N: drop copies are on the port of orders.";
  if ((isDropCopy || isMarketData) && cancelsOnDisconnect)
    return "This session has no orders: CancelOnDisconnect (9001) must be N.";
  const isContinued = get(Tag.resetSeqNumFlag) === "N";
  if (isContinued && isMarketData)
    return "ResetSeqNumFlag (141) must be Y: market data is not sent again.";
  if (isContinued && get(Tag.responseMode) === "2")
    return "With ResetSeqNumFlag (141) N, ResponseMode (25036) must be 1: the journal does not know which session asked.";
  return {
    apiKey: get(Tag.username),
    signedText: signedTags.map(get).join("\x01"),
    signature: get(Tag.rawData),
    sentUs: readUtcTime(get(Tag.sendingTime)) ?? 0,
    recvWindow: message.get(Tag.recvWindow),
    heartBtSeconds: Number(get(Tag.heartBtInt)),
    isSequential: get(Tag.messageHandling) === "2",
    onlyAcks: get(Tag.responseMode) === "2",
    isDropCopy,
    cancelsOnDisconnect,
    isContinued,
    nextExpected: readNumber(message.get(Tag.nextExpectedMsgSeqNum)),
  };
}

/** The fields that are signed, in this order, separated by SOH. */
const signedTags = [
  Tag.msgType,
  Tag.senderCompId,
  Tag.targetCompId,
  Tag.msgSeqNum,
  Tag.sendingTime,
] as const;
