// Tests of the session layer with a fake wire and clock.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FixDecoder, FixMessage, field } from "./fix-codec.ts";
import {
  heldCharactersMax,
  logonMsMax,
  resendMsMax,
  resentAtOnce,
  resentMessagesMax,
  waitingCharactersMax,
  waitingMessagesMax,
} from "./fix-limits.ts";
import { ContinuedNumbers, numbersPerEvent, reportNumber } from "./fix-numbers.ts";
import { type FixApplication, FixSession } from "./fix-session.ts";

const soh = "\x01";

class Fixture {
  readonly sent: FixMessage[] = [];
  readonly taken: FixMessage[] = [];
  ends = 0;
  endings = 0;
  logouts = 0;
  nowMs = 1_700_000_000_000;
  /** Seq of the newest event. */
  headSeq = 10;
  mayResend = true;
  /** Until when the client takes nothing more; by default it takes everything at once. */
  drained: Promise<void> = Promise.resolve();
  /** What the journal has; by default nothing. */
  readReports: FixApplication["readReports"] = async () => [];

  /** Withholds what the journal has; the returned function gives it. */
  holdReports(): (reports: typeof older) => void {
    let answer: (reports: typeof older) => void = () => undefined;
    this.readReports = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    return (reports) => answer(reports);
  }
  readonly #decoder = new FixDecoder();
  readonly session = new FixSession(
    {
      send: (text) => {
        const fault = this.#decoder.take(
          Buffer.from(text, "latin1"),
          (message) => this.sent.push(message),
          () => true,
        );
        assert.equal(fault, null);
      },
      flush: () => undefined,
      drained: () => this.drained,
      end: () => void this.ends++,
    },
    {
      logon: () => undefined,
      take: (message) => void this.taken.push(message),
      logout: () => void this.logouts++,
      mayResend: () => this.mayResend,
      readReports: (range) => this.readReports(range),
      ended: () => void this.endings++,
    },
    { nowUs: () => 1000 * this.nowMs },
  );

  take(type: string, seq: number | string, more = ""): void {
    const head = `35=${type}|34=${seq}|49=ME|56=SPOT|`;
    this.session.take(FixMessage.read((head + more).replaceAll("|", soh)));
  }

  /** Types and texts of what was sent since the last call. */
  get news(): string[] {
    return this.sent
      .splice(0)
      .map((message) =>
        [message.type, message.get(34), message.get(36), message.get(373), message.get(112)]
          .filter((value) => value !== undefined)
          .join(" "),
      );
  }

  on(): this {
    this.take("A", 1);
    this.session.accept(5, "");
    this.sent.length = 0;
    return this;
  }

  /** Continues numbers at `first`. */
  continued(first: number, expected: number | null = null): this {
    this.take("A", 7, "141=N|");
    this.session.accept(5, "", { first, expected, headSeq: () => this.headSeq });
    return this;
  }

  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += 250) {
      this.nowMs += 250;
      this.session.look(this.nowMs);
    }
  }
}

test("FIX-5 a session begins with a Logon with valid CompIDs and number 1", () => {
  for (const [type, seq, more] of [
    ["D", 1, ""],
    ["A", 2, ""],
    ["A", 1, "5=|"],
  ] as const) {
    const fixture = new Fixture();
    fixture.take(type, seq, more);
    assert.deepEqual([fixture.news, fixture.ends], [["5 1"], 1], `${type} ${seq}`);
  }
  const other = new Fixture();
  other.session.take(FixMessage.read(`35=A${soh}34=1${soh}49=ME${soh}56=OTHER${soh}`));
  assert.deepEqual(other.news, ["5 1"]);
  const late = new Fixture();
  late.session.look(late.nowMs);
  late.pass(logonMsMax + 1000);
  assert.deepEqual([late.news, late.ends], [[], 1]);
});

test("FIX-5 messages before the answer to the Logon wait for it", () => {
  const fixture = new Fixture();
  fixture.take("A", 1);
  fixture.take("1", 2, "112=x|");
  fixture.take("D", 3);
  assert.deepEqual([fixture.news, fixture.taken.length], [[], 0]);
  fixture.session.accept(30, "");
  assert.deepEqual([fixture.news, fixture.taken.length], [["A 1", "0 2 x"], 1]);
});

test("FIX-5 a SenderCompID has 1 to 8 letters, digits, - or _", () => {
  for (const [name, isTaken] of [
    ["A", true],
    ["aZ9-_xyz", true],
    ["aZ9-_xyz9", false],
    ["a b", false],
    ["a.b", false],
  ] as const) {
    const fixture = new Fixture();
    fixture.session.take(FixMessage.read(`35=A${soh}34=1${soh}49=${name}${soh}56=SPOT${soh}`));
    assert.deepEqual([fixture.news, fixture.ends], isTaken ? [[], 0] : [["5 1"], 1], name);
  }
});

test("FIX-5 at most 1,000 messages with 262,144 characters wait for the answer to the Logon", () => {
  for (const [text, count] of [
    ["", waitingMessagesMax],
    ["x".repeat(8_000), Math.floor(waitingCharactersMax / 8_030)],
  ] as const) {
    const fixture = new Fixture();
    fixture.take("A", 1);
    for (let seq = 2; seq < 2 + count; seq++) fixture.take("D", seq, text && `58=${text}|`);
    assert.equal(fixture.ends, 0);
    fixture.take("D", 2 + count, text && `58=${text}|`);
    assert.match(fixture.sent.at(-1)?.get(58) ?? "", /before the answer to the Logon/);
    assert.equal(fixture.ends, 1);
  }
});

test("FIX-6 a higher number is rejected, a lower one ends the session unless it is a duplicate", () => {
  const fixture = new Fixture().on();
  fixture.take("D", 3);
  assert.equal(fixture.sent[0]?.get(25016), "-1179");
  assert.deepEqual(fixture.news, ["3 2 5"]);
  fixture.take("D", 2);
  assert.equal(fixture.taken.length, 1);
  fixture.take("D", 2, "43=Y|");
  assert.deepEqual([fixture.taken.length, fixture.news], [1, []]);
  fixture.take("D", 2);
  assert.deepEqual([fixture.news, fixture.ends], [["5 3"], 1]);
  fixture.take("D", 3);
  assert.equal(fixture.taken.length, 1);
  const unnumbered = new Fixture().on();
  unnumbered.take("D", "x");
  assert.deepEqual(unnumbered.news, ["5 2"]);
});

test("FIX-6 a message from another CompID ends the session", () => {
  const fixture = new Fixture().on();
  fixture.session.take(FixMessage.read(`35=D${soh}34=2${soh}49=YOU${soh}56=SPOT${soh}`));
  assert.deepEqual([fixture.news, fixture.ends], [["5 2"], 1]);
});

test("FIX-7 heartbeats keep a quiet session, and a silent client is tested, then logged out", () => {
  const fixture = new Fixture().on();
  fixture.session.look(fixture.nowMs);
  fixture.pass(4_750);
  fixture.take("0", 2);
  fixture.pass(250);
  assert.deepEqual(fixture.news, ["0 2"]);
  fixture.pass(4_750);
  const [request] = fixture.sent.splice(0);
  assert.equal(request?.type, "1");
  fixture.take("0", 3, `112=${request.get(112)}|`);
  fixture.pass(5_000);
  assert.equal(fixture.sent.splice(0)[0]?.type, "1");
  fixture.pass(5_000);
  assert.deepEqual([fixture.news.at(-1), fixture.ends], ["5 5", 1]);
});

test("FIX-7 a pause of the front is not the client's silence", () => {
  const fixture = new Fixture().on();
  fixture.session.look(fixture.nowMs);
  fixture.nowMs += 60_000;
  fixture.session.look(fixture.nowMs);
  assert.deepEqual(fixture.news, []);
});

test("FIX-8 reports are sent again with PossDupFlag, and the session's own messages are skipped", () => {
  const fixture = new Fixture().on();
  fixture.session.send("8", field(11, "a"));
  fixture.session.send("0", "");
  fixture.session.send("8", field(11, "b"));
  fixture.sent.length = 0;
  fixture.take("2", 2, "7=1|16=0|");
  const flags = fixture.sent.map((message) => [message.get(43), message.get(122) !== undefined]);
  assert.deepEqual(flags, Array(4).fill(["Y", true]));
  assert.deepEqual(fixture.news, ["4 1 2", "8 2", "4 3 4", "8 4"]);
  fixture.take("2", 3, "7=2|16=2|");
  assert.deepEqual(fixture.news, ["8 2"]);
  for (const range of ["7=9|16=0|", "7=0|16=0|", "7=2|16=1|", "7=x|16=0|", "7=2|"]) {
    fixture.take("2", 4 + fixture.sent.length, range);
    assert.equal(fixture.sent.at(-1)?.type, "3", range);
  }
});

test("FIX-8 reports that are not kept any more are not passed over in silence", () => {
  const fixture = new Fixture().on();
  for (let count = 0; count <= 2 * resentMessagesMax; count++) fixture.session.send("8", "");
  fixture.sent.length = 0;
  fixture.take("2", 2, "7=2|16=0|");
  assert.match(fixture.sent[0]?.get(58) ?? "", /not kept/);
});

test("FIX-30 many kept reports are sent again in parts, one resend at a time, and not too often", async () => {
  const fixture = new Fixture().on();
  for (let count = 0; count < 2 * resentAtOnce; count++) fixture.session.send("8", "");
  fixture.sent.length = 0;
  let drain: () => void = () => undefined;
  fixture.drained = new Promise((resolve) => {
    drain = resolve;
  });
  fixture.take("2", 2, "7=2|16=0|");
  fixture.take("2", 3, "7=2|16=0|");
  fixture.session.send("8", "");
  assert.equal(fixture.sent.length, resentAtOnce);
  drain();
  await turn();
  assert.equal(fixture.sent.length, 2 * resentAtOnce + 2);
  const numbers = fixture.sent.map(({ seq }) => seq);
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => at + 2),
  );
  assert.match(fixture.sent.at(-2)?.get(58) ?? "", /under way/);
  fixture.mayResend = false;
  fixture.take("2", 4, "7=2|16=2|");
  assert.match(fixture.sent.at(-1)?.get(58) ?? "", /Too many resends/);
  assert.equal(fixture.ends, 1);
});

test("FIX-9 a SequenceReset moves the expected number forward only", () => {
  const fixture = new Fixture().on();
  fixture.take("4", 2, "123=Y|36=10|");
  fixture.take("D", 10);
  fixture.take("4", 99, "36=20|");
  fixture.take("D", 20);
  assert.equal(fixture.taken.length, 2);
  fixture.take("4", 21, "123=Y|36=5|");
  assert.deepEqual(fixture.news, ["3 2 1"]);
});

test("FIX-10 a Logout is answered after the application, and nothing is taken behind it", () => {
  const fixture = new Fixture().on();
  fixture.take("5", 2);
  fixture.take("D", 3);
  assert.deepEqual([fixture.logouts, fixture.taken.length, fixture.news], [1, 0, []]);
  fixture.session.finishLogout("bye");
  fixture.session.close();
  assert.deepEqual([fixture.news, fixture.ends, fixture.endings], [["5 2"], 1, 1]);
});

test("FIX-10 a resend that was asked for before a Logout is sent before its answer", async () => {
  const fixture = new Fixture().continued(reportNumber(10) + 1);
  fixture.sent.length = 0;
  const answer = fixture.holdReports();
  fixture.take("2", 8, `7=${reportNumber(9)}|16=0|`);
  fixture.take("5", 9);
  fixture.session.finishLogout("bye");
  assert.deepEqual([fixture.news, fixture.ends], [[], 0]);
  answer(older);
  await turn();
  assert.deepEqual(fixture.sent.map(({ type }) => type).join(" "), "8 4 8 4 5");
  assert.equal(fixture.ends, 1);
});

test("FIX-4 a faulty message is rejected, and the session goes on", () => {
  const fixture = new Fixture().on();
  fixture.take("D", 2, "55=A|55=B|");
  fixture.take("D", 3);
  fixture.take("A", 4);
  const codes = fixture.sent.map((reject) => reject.get(25016));
  assert.deepEqual(codes, ["-1171", "-1176"]);
  assert.deepEqual([fixture.news, fixture.taken.length], [["3 2 13", "3 3 99"], 1]);
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("FIX-25 the report of an event has its number, and a gap fill leads to it", () => {
  const fixture = new Fixture().continued(reportNumber(10) + 1);
  fixture.session.send("0", "");
  fixture.headSeq = 12;
  fixture.session.report(12, field(11, "a"));
  fixture.session.send("N", "");
  assert.deepEqual(fixture.news, ["A 40961", "0 40962", "4 40963 49152", "8 49152", "N 49153"]);
  fixture.headSeq = 13;
  fixture.session.report(13, "");
  const [gap] = fixture.sent;
  assert.deepEqual([gap?.type, gap?.get(43), gap?.get(36)], ["4", undefined, "53248"]);
});

test("FIX-25 without a continuation a report has the next number", () => {
  const fixture = new Fixture().on();
  fixture.session.report(77, "");
  assert.deepEqual(fixture.news, ["8 2"]);
});

test("FIX-26 no message takes the number of a later report: the session ends with a Logout before", () => {
  const fixture = new Fixture().continued(reportNumber(11) - 3);
  fixture.session.send("0", "");
  fixture.session.send("0", "");
  assert.deepEqual(fixture.news, ["A 45053", "0 45054", "5 45055"]);
  assert.equal(fixture.ends, 1);
  const moved = new Fixture().continued(reportNumber(11) - 3);
  moved.headSeq = 11;
  for (let count = 0; count < 9; count++) moved.session.send("0", "");
  assert.equal(moved.ends, 0);
});

test("FIX-26 a connection begins above all numbers that its session has had", () => {
  const numbers = new ContinuedNumbers();
  const at = { headSeq: 10, expected: null };
  const unknown = reportNumber(10) + numbersPerEvent / 2;
  assert.equal(numbers.first(1, "A", at), unknown);
  numbers.keep(1, "A", unknown + 300);
  assert.equal(numbers.first(1, "A", at), unknown + 300);
  assert.equal(numbers.first(1, "B", at), unknown, "another session");
  assert.equal(numbers.first(1, "A", { ...at, headSeq: 11 }), reportNumber(11) + 1);
  assert.equal(numbers.first(1, "B", { ...at, expected: 5 }), reportNumber(10) + 1);
  assert.equal(numbers.first(1, "B", { ...at, expected: unknown + 9 }), unknown + 9);
  assert.match(String(numbers.first(1, "B", { ...at, expected: reportNumber(11) })), /789/);
  numbers.keep(1, "A", reportNumber(11) - 1);
  assert.match(String(numbers.first(1, "A", at)), /used up/);
});

test("FIX-27 a Logon that continues may have any number, and the next message follows it", () => {
  const fixture = new Fixture().continued(reportNumber(10) + 1);
  fixture.take("D", 8);
  fixture.take("D", 8, "43=Y|");
  fixture.take("D", 9, "97=Y|");
  assert.equal(fixture.taken.length, 2);
  assert.deepEqual(fixture.news, ["A 40961"]);
  const unnumbered = new Fixture();
  unnumbered.take("A", 0, "141=N|");
  assert.deepEqual(unnumbered.news, ["5 1"]);
});

const older = [9, 10].map((seq) => ({ seq: reportNumber(seq), type: "8", fields: "", sentUs: 5 }));

test("FIX-28 FIX-29 a resend has the reports of the journal, then those that are kept, then what happened meanwhile", async () => {
  const fixture = new Fixture().continued(reportNumber(10) + 1);
  let answer: (reports: typeof older) => void = () => undefined;
  const asked: unknown[] = [];
  fixture.readReports = (range) => {
    asked.push(range);
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  fixture.headSeq = 11;
  fixture.session.report(11, "");
  fixture.sent.length = 0;
  fixture.take("2", 8, `7=${reportNumber(8) + 5}|16=0|`);
  fixture.headSeq = 12;
  fixture.session.report(12, "");
  fixture.take("2", 9, "7=1|16=0|");
  assert.deepEqual(fixture.news, []);
  answer(older);
  await turn();
  assert.deepEqual(asked, [{ from: 32773, last: 40960 }]);
  const flags = fixture.sent.map((message) => message.get(43));
  assert.deepEqual(fixture.news, [
    "4 32773 36864",
    "8 36864",
    "4 36865 40960",
    "8 40960",
    "4 40961 45056",
    "8 45056",
    "4 45057 49152",
    "8 49152",
    "3 49153 99",
  ]);
  assert.deepEqual(flags.slice(0, 6), Array(6).fill("Y"));
  assert.deepEqual(flags.slice(6), Array(3).fill(undefined));
});

test("FIX-28 a client that says which number it expects gets what is missing without asking", async () => {
  const fixture = new Fixture();
  fixture.readReports = async () => older;
  fixture.continued(reportNumber(10) + 1, reportNumber(9));
  await turn();
  assert.deepEqual(
    fixture.news.map((one) => one.split(" ").slice(0, 2).join(" ")),
    ["A 40961", "8 36864", "4 36865", "8 40960"],
  );
});

test("FIX-29 while older reports are read, no heartbeat is sent and no client is tested", async () => {
  const fixture = new Fixture().continued(reportNumber(10) + 1);
  fixture.sent.length = 0;
  const answer = fixture.holdReports();
  fixture.session.look(fixture.nowMs);
  fixture.take("2", 8, `7=${reportNumber(9)}|16=0|`);
  // Four intervals of 5 s, in which the client is silent because it hears nothing.
  fixture.pass(20_000);
  assert.deepEqual([fixture.news, fixture.ends], [[], 0]);
  answer(older);
  await turn();
  assert.equal(
    fixture.sent
      .splice(0)
      .map(({ type }) => type)
      .join(" "),
    "8 4 8 4",
  );
  fixture.pass(250);
  assert.equal(fixture.sent[0]?.type, "0");
});

test("FIX-29 FIX-30 a resend that is refused or takes too long, or behind which too much waits, ends the session", async () => {
  const refused = new Fixture().continued(reportNumber(10) + 1);
  refused.readReports = async () => "too much";
  refused.take("2", 8, "7=1|16=0|");
  await turn();
  assert.deepEqual([refused.sent.at(-1)?.get(58), refused.ends], ["too much", 1]);
  const late = new Fixture().continued(reportNumber(10) + 1);
  late.readReports = () => new Promise(() => undefined);
  late.take("2", 8, "7=1|16=0|");
  late.session.look(late.nowMs);
  for (let seq = 9; late.ends === 0 && seq < 100; seq++) {
    late.take("0", seq);
    late.pass(resendMsMax / 20);
  }
  assert.match(late.sent.at(-1)?.get(58) ?? "", /too long/);
  const full = new Fixture().continued(reportNumber(10) + 1);
  full.readReports = () => new Promise(() => undefined);
  full.take("2", 8, "7=1|16=0|");
  const text = field(58, "x".repeat(1_000));
  let sent = 0;
  for (; full.ends === 0 && sent < heldCharactersMax; sent += 1_000) full.session.send("3", text);
  assert(sent > heldCharactersMax / 2);
  assert.match(full.sent.at(-1)?.get(58) ?? "", /wait for a resend/);
  assert.equal(full.ends, 1);
});
