// Routes that are mounted only with development tools; elsewhere they are 404 like any unknown path. Each grant is
// booked as a debt of the faucet account, so that the venue's balances add up.

import { setTimeout as sleep } from "node:timers/promises";
import type * as z from "zod";
import { emptyBody, seedBody } from "../../../../../schemas/http/native.ts";
import { Wallet } from "../../../../core/accounts.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { depositReference } from "../../../../core/ids/deposit-reference.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import type { Asset } from "../../../../core/money/assets.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import { type Outcome, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { nativeFaults } from "../error-map.ts";
import { refusalOf, submitCommand } from "../native-context.ts";
import { balanceRecord, fitsWallet, sumOf, walletOf } from "./money-request.ts";

/**
 * Longest wait of a request for test funds. The answer is sent as soon as the mirrored wallet shows the new holdings,
 * or after this time with the balance known so far.
 */
const mirrorWaitMs = 10_000;
const mirrorLookMs = 20;

/** The party's own holdings on the ledger, not a wallet of the venue. */
const ledgerWallet = "ledger";

/** No wallet: the coins go to the account's deposit address, and arrive as any deposit does. */
const depositWallet = "deposit";

class DevelopmentTools {
  readonly #context: RouteContext;

  constructor(context: RouteContext) {
    this.#context = context;
  }

  async seed(account: number, params: z.output<typeof seedBody>): Promise<Outcome> {
    const { table, model, bridge } = this.#context;
    const sum = sumOf(table, params);
    if ("status" in sum) return sum;
    const { asset, amount } = sum;
    if (params.wallet === ledgerWallet) return this.#tapParty(account, asset, params.amount);
    if (params.wallet === depositWallet) return this.#deposit(account, asset, params.amount);
    const wallet = walletOf(params.wallet ?? "funding");
    if (wallet === undefined) return nativeFaults.badWallet;
    if (!fitsWallet(table, wallet, asset)) return nativeFaults.perpWalletAsset;
    const isMirrored = model.state.accounts.isWallet(account);
    if (isMirrored && wallet === Wallet.spot) return this.#tap(account, asset, amount);
    const kind = CommandKind.credit;
    const command = { kind, account, wallet, asset: asset.id, amount, isFromFaucet: true } as const;
    const answer = await submitCommand(bridge, command);
    if (answer?.reason === RejectReason.amountNotPositive) return nativeFaults.faucetEmpty;
    const refusal = refusalOf(answer);
    return refusal ?? JSON.stringify(balanceRecord(model.state, account, wallet, asset));
  }

  /** Creates holdings on the ledger for the party of the logged-in wallet key. Swaps are paid from these holdings. */
  async #tapParty(account: number, asset: Asset, amount: string): Promise<Outcome> {
    const { swaps, faucet } = this.#context;
    const { party, publicKey } = await swaps.store.trader(account);
    const isHosted = await faucet.host(party, publicKey);
    if (!isHosted || !(await faucet.tap(party, asset.code, amount))) return nativeFaults.noLedger;
    return JSON.stringify({ wallet: ledgerWallet, asset: asset.code, amount, party_id: party });
  }

  /** Lets the faucet pay a deposit, so that its stages can be seen where nobody else holds coins. */
  async #deposit(account: number, asset: Asset, amount: string): Promise<Outcome> {
    const { custody, faucet } = this.#context;
    const terms = await custody.asset(asset.id);
    const reference = depositReference(account);
    const payment = { asset: asset.code, amount, reference };
    if (terms === null || !(await faucet.pay({ to: terms.custody, ...payment })))
      return nativeFaults.noLedger;
    return JSON.stringify({ wallet: depositWallet, ...payment });
  }

  /**
   * Gives a member test funds for its spot wallet, which mirrors the holdings of its ledger party. The funds are
   * created as holdings of the party, and the mirror then adds them to the wallet.
   */
  async #tap(account: number, asset: Asset, amount: bigint): Promise<Outcome> {
    const { members, faucet, model } = this.#context;
    const member = await members.memberOf(account);
    if (member === null) return nativeFaults.walletFunded;
    const { balances } = model.state;
    const expected = balances.total(account, Wallet.spot, asset.id) + amount;
    const text = formatScaled(amount, asset.decimals);
    if (!(await faucet.tap(member.party, asset.code, text))) return nativeFaults.noLedger;
    const untilMs = performance.now() + mirrorWaitMs;
    while (balances.total(account, Wallet.spot, asset.id) < expected) {
      if (performance.now() > untilMs) break;
      await sleep(mirrorLookMs);
    }
    return JSON.stringify(balanceRecord(model.state, account, Wallet.spot, asset));
  }

  async tick(): Promise<Outcome> {
    const command = { kind: CommandKind.settleFunding, account: 0 } as const;
    const answer = await submitCommand(this.#context.bridge, command);
    return refusalOf(answer) ?? JSON.stringify({ markets: answer?.subject });
  }
}

/** The development routes. */
export const developmentRoutes = routeGroup((context) => new DevelopmentTools(context))([
  sessionRoute("POST /v1/deposits/seed", {
    summary: "Test funds from the faucet; only with development tools.",
    body: seedBody,
    example: '{"asset":"USDC","amount":"100","wallet":"perp"}',
    isForDevelopment: true,
    answer: (tools, _, params, { account }) => tools.seed(account, params),
  }),
  sessionRoute("POST /v1/funding/tick", {
    summary: "Settles funding now; only with development tools.",
    body: emptyBody,
    isForDevelopment: true,
    answer: (tools) => tools.tick(),
  }),
]);
