// Proves that the commands of the guide about one's own balances work against a venue. The commands are read from the page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { blocksIn } from "../guides/document-blocks.ts";
import { ShellSession } from "../guides/shell-session.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { until } from "./epoch-waits.ts";

const commands = blocksIn("docs/guides/check-your-balances.md", "sh").map(({ text }) => text);

let fixture: VenueFixture;
let session: ShellSession;

before(async () => {
  fixture = await VenueFixture.open({
    EPOCH_SECONDS: "1",
    LIABILITIES_EPOCHS: "1",
    DEV_TOOLS: "1",
  });
  const user = new NativeClient(fixture.address);
  await user.login();
  const deposit = { asset: "USDC", wallet: "perp", amount: "1250.50" };
  assert.equal((await user.post("/v1/deposits/seed", deposit)).status, 200);
  await until("a statement with the deposit", async () => {
    const { status, text } = await user.get("/v1/liabilities/me");
    const isStated = status === 200 && JSON.parse(text).assets.length > 0;
    // Each request takes a fiftieth of what an address may ask in a second.
    if (!isStated) await new Promise((resolve) => setTimeout(resolve, 500));
    return isStated ? true : null;
  });
  const FINGERPRINT = user.partyId.slice(-64);
  session = new ShellSession({
    address: fixture.address,
    env: { TOKEN: user.token, FINGERPRINT },
  });
});

after(async () => {
  await fixture.close();
  session.close();
});

test("LIA-39 the commands of the guide do what the guide says", async () => {
  assert.equal(commands.length, 3);
  const printed = await until("checks of a statement whose entry is sealed", async () => {
    const ran = await session.run(commands);
    assert.equal(ran.code, 0, ran.complained);
    return ran.printed.at(-1)?.includes("is not sealed yet") ? null : ran.printed;
  });
  const [totals = "", own = "", alone = ""] = printed;
  assert.match(
    totals,
    /liabilities at the end of epoch \d+\n {2}1\. ok {5}statement: [\s\S]*Verified\./,
  );
  assert.doesNotMatch(totals, /owed you/);
  for (const checked of [own, alone]) {
    assert.match(
      checked,
      /4\. ok {5}owner: The leaves of account \d+ are bound to the fingerprint/,
    );
    assert.match(checked, /5\. ok {5}leaves: Your 1250\.5 USDC are leaves \d+ and \d+ of 64\./);
    assert.match(checked, /6\. ok {5}entry: Journal entry \d+ records this digest/);
    assert.match(checked, /owed you at \S+Z: 1250\.5 USDC\.[\s\S]*Verified\./);
  }
});
