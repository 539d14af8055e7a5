// Tests the findings about machines other than the one that runs the tests. Each finding is computed from the values
// that such a machine would report.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding } from "./finding.ts";
import {
  clockFinding,
  diskFinding,
  nodeFinding,
  serverFinding,
  stepFinding,
} from "./machine-findings.ts";

function told({ verdict, found, mend }: Finding): string {
  return `${verdict}: ${found}; ${mend}`;
}

test("OPS-26 a Node.js version that is too old is a fault, and one that is too new a warning", () => {
  const old = "fault: Node.js 20.18.3; install Node.js 20.19 or newer, up to 22";
  assert.equal(told(nodeFinding("20.18.3")), old);
  assert.equal(nodeFinding("18.20.8").verdict, "fault");
  for (const version of ["20.19.0", "20.20.2", "21.0.0", "22.14.0"]) {
    assert.equal(nodeFinding(version).verdict, "ok", version);
  }
  const fresh = "warning: Node.js 23.1.0; the HTTP server is tested up to Node.js 22";
  assert.equal(told(nodeFinding("23.1.0")), fresh);
});

test("OPS-26 an HTTP server without a binary for this machine is a fault, shown with its error message", async () => {
  assert.equal((await serverFinding(async () => ({ isNewer: true }))).verdict, "ok");
  assert.equal((await serverFinding(async () => ({ isNewer: false }))).verdict, "warning");
  const { verdict, found, mend } = await serverFinding(() => import(`./no-such-${"binary"}.js`));
  assert.equal(verdict, "fault");
  assert.match(found, /Cannot find module .*no-such-binary/);
  assert.match(mend, /run npm install on this machine/);
});

test("OPS-26 a clock earlier than the program's build time and a nearly full disk are faults", () => {
  const built = new Date("2026-03-01T00:00:00.000Z");
  assert.equal(clockFinding(built, built).verdict, "ok");
  assert.equal(
    told(clockFinding(new Date("1970-01-01T00:00:09.000Z"), built)),
    "fault: 1970-01-01T00:00:09.000Z, earlier than this program's build; set the machine's clock and synchronise it with NTP",
  );
  assert.equal(told(diskFinding(2 * 2 ** 30, 20 * 2 ** 30)), "ok: 2.0 GiB free; ");
  assert.equal(
    told(diskFinding(300 * 2 ** 20, 2 ** 30)),
    "fault: only 0.3 GiB are free on the disk of the data folder; free disk space: the database's write-ahead log alone takes up to 2 GiB",
  );
});

test("OPS-113 a disk of which less than a tenth is free is a warning, as on the operations page", () => {
  assert.equal(
    told(diskFinding(5 * 2 ** 30, 60 * 2 ** 30)),
    "warning: only 5.0 GiB are free on the disk of the data folder; free disk space: the database's write-ahead log alone takes up to 2 GiB",
  );
});

test("CLK-4 OPS-26 a clock that differs from the venue's time is a fault, shown with both remedies", () => {
  assert.equal(stepFinding(null).verdict, "ok");
  assert.equal(
    told(stepFinding(-3600)),
    "fault: the machine's clock is 3600.0 s behind the venue's time; correct it; if it is right, " +
      "run 'rialto clock accept' or start with --accept-clock",
  );
});
