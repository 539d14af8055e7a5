// A worker of the ring benchmark: returns every record through the second ring. After `spins` polls without a record,
// the worker sleeps until its doorbell rings.

import { parentPort, workerData } from "node:worker_threads";
import { Doorbell } from "../../src/wire/doorbell.ts";
import { SpscRing } from "../../src/wire/spsc-ring.ts";

export interface EchoTask {
  readonly requests: SharedArrayBuffer;
  readonly replies: SharedArrayBuffer;
  readonly requestBell: SharedArrayBuffer;
  readonly replyBell: SharedArrayBuffer;
  readonly spins: number;
}

const task: EchoTask = workerData;
const requests = new SpscRing(task.requests);
const replies = new SpscRing(task.replies);
const requestBell = new Doorbell(task.requestBell);
const replyBell = new Doorbell(task.replyBell);

function echoAll(): number {
  let count = 0;
  for (let from = requests.next(); from >= 0; from = requests.next()) {
    const to = replies.tryClaim(requests.length);
    replies.i32[to >> 2] = requests.i32[from >> 2] as number;
    replies.commit();
    count++;
  }
  if (count === 0) return 0;
  requests.release();
  replies.publish();
  replyBell.ring();
  return count;
}

parentPort?.postMessage("ready");
for (let idle = 0; ; ) {
  idle = echoAll() > 0 ? 0 : idle + 1;
  if (idle <= task.spins) continue;
  requestBell.sleep(() => !requests.isEmpty(), 1000);
  idle = 0;
}
