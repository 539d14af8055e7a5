// The native routes and the schemas that read them.

import type * as z from "zod";
import {
  challengeBody,
  changeRestrictionsBody,
  createKeyBody,
  emptyBody,
  listKeysQuery,
  noQuery,
  restrictionsBody,
  sessionKeyBody,
  verifyBody,
} from "./native.ts";
import { epochsQuery, proofQuery } from "./native-chain.ts";
import { candlesQuery, orderbookQuery, recentTradesQuery } from "./native-markets.ts";
import {
  addressQuery,
  depositsQuery,
  seedBody,
  transferBody,
  withdrawalBody,
} from "./native-money.ts";
import { addKeyBody, providerSwapsQuery, registerBody } from "./native-providers.ts";
import { swapAcceptBody, swapExecuteBody, swapRequestBody, swapsQuery } from "./native-swaps.ts";
import { cancelAllQuery, ordersQuery, placeOrderBody, rowsQuery } from "./native-trading.ts";

export interface NativeEndpoint {
  readonly query: z.ZodObject;
  /** Null where there is no body. */
  readonly body: z.ZodObject | null;
  /** What it answers or does, as the summary of a page. */
  readonly says: string;
  /** Answers 204: that it is done is all there is to say. */
  readonly isSilent?: true;
}

function asked(body: z.ZodObject, says: string): NativeEndpoint {
  return { query: noQuery, body, says };
}

function read(query: z.ZodObject, says: string): NativeEndpoint {
  return { query, body: null, says };
}

function silent(endpoint: NativeEndpoint): NativeEndpoint {
  return { ...endpoint, isSilent: true };
}

/** Every native route by "<METHOD> <path>". */
export const nativeEndpoints: Readonly<Record<string, NativeEndpoint>> = {
  "POST /v1/wallet/challenge": asked(challengeBody, "A message for a wallet to sign."),
  "POST /v1/wallet/verify": asked(verifyBody, "A session for a signed message."),
  "POST /v1/wallet/logout": silent(asked(emptyBody, "Ends the session and its key.")),
  "POST /v1/wallet/session-key": asked(
    sessionKeyBody,
    "Registers an Ed25519 key that lives as long as the session.",
  ),
  "POST /v1/wallet/enroll": asked(emptyBody, "Makes the account wallet-funded, for good."),
  "GET /v1/wallet/enrollment": read(noQuery, "How far enrollment is."),
  "GET /v1/api-keys": read(listKeysQuery, "The user's API keys."),
  "POST /v1/api-keys": asked(createKeyBody, "A new API key; its secret is told once."),
  "DELETE /v1/api-keys/{id}": read(noQuery, "Revokes a key at once."),
  "GET /v1/api-keys/{id}/restrictions": read(
    noQuery,
    "What a key may do, and from which addresses.",
  ),
  "PUT /v1/api-keys/{id}/restrictions": asked(
    changeRestrictionsBody,
    "Replaces what a key may do; to widen it takes a signature of the wallet.",
  ),
  "POST /v1/api-keys/{id}/restrictions/challenge": asked(
    restrictionsBody,
    "A message for the wallet to sign, which names the change.",
  ),
  "POST /v1/transfers": asked(transferBody, "Moves money between the user's wallets, once a key."),
  "POST /v1/deposits/seed": asked(seedBody, "Money from the faucet; with development tools only."),
  "GET /v1/deposits/address": read(addressQuery, "Where to send coins, and with which reference."),
  "GET /v1/deposits": read(depositsQuery, "What came for the user, newest first."),
  "POST /v1/withdrawals": asked(withdrawalBody, "Pays out of the spot wallet, once a key."),
  "GET /v1/withdrawals": read(depositsQuery, "The user's withdrawals, newest first."),
  "GET /v1/withdrawals/{wid}": read(noQuery, "One withdrawal."),
  "GET /v1/traffic": read(
    noQuery,
    "What settling costs in traffic, lane by lane, beside what is free.",
  ),
  "GET /v1/traffic/mm": read(
    noQuery,
    "Whether the operator's own traders go on, and who they are.",
  ),
  "GET /v1/solvency": read(
    depositsQuery,
    "What the venue owes of each asset, and what it holds on the ledger.",
  ),
  "POST /v1/swaps/rfq": asked(swapRequestBody, "Asks liquidity providers for quotes."),
  "GET /v1/swaps/rfq": read(swapsQuery, "The user's swaps, newest first."),
  "GET /v1/swaps/rfq/{swap_id}": read(noQuery, "One swap with its quotes and steps."),
  "POST /v1/swaps/rfq/{swap_id}/accept": asked(swapAcceptBody, "Takes a quote."),
  "POST /v1/swaps/rfq/{swap_id}/cancel": asked(
    emptyBody,
    "Calls a swap off before a quote is taken.",
  ),
  "POST /v1/swaps/rfq/{swap_id}/prepare": asked(
    emptyBody,
    "What the wallet is to sign: its lock, or the return of what is locked.",
  ),
  "POST /v1/swaps/rfq/{swap_id}/execute": asked(
    swapExecuteBody,
    "The wallet's signature over the hash that was prepared.",
  ),
  "POST /v1/funding/tick": asked(
    emptyBody,
    "Settles funding before its time; with development tools only.",
  ),
  "GET /v1/referral/dashboard": read(noQuery, "The user's code and what it brought in."),
  "POST /v1/referral/claim": asked(emptyBody, "Pays accrued commission to the perp wallet."),
  "GET /v1/journal/event.fbs": read(noQuery, "The schema of the journal's events, as FlatBuffers."),
  "GET /v1/chain/status": read(noQuery, "The newest epoch and how far the ledger has it."),
  "GET /v1/chain/epochs": read(epochsQuery, "Sealed epochs, newest first."),
  "GET /v1/chain/epochs/{id}": read(noQuery, "One sealed epoch."),
  "GET /v1/chain/proof": read(proofQuery, "Proofs of journal entries and fills, by seq or ref_id."),
  "GET /v1/chain/proof/me": read(
    proofQuery,
    "The same for one's own entries, with body and nonce of each.",
  ),
  "GET /v1/lp/keys": read(noQuery, "The keys that the venue signs its requests to providers with."),
  "POST /v1/lp/register": asked(
    registerBody,
    "Registers a provider of liquidity with the key that signs the request.",
  ),
  "POST /v1/lp/keys": asked(addKeyBody, "A second key of the provider."),
  "DELETE /v1/lp/keys/{key_id}": silent(read(noQuery, "Ends a key of the provider at once.")),
  "GET /v1/lp/status": read(noQuery, "What the venue holds about the provider."),
  "GET /v1/lp/statistics": read(noQuery, "How often the provider was asked, and what came of it."),
  "GET /v1/lp/swaps": read(providerSwapsQuery, "The provider's swaps, newest first."),
  "POST /v1/orders": asked(placeOrderBody, "Places an order."),
  "DELETE /v1/orders": read(cancelAllQuery, "Cancels all open orders in a market."),
  "DELETE /v1/orders/{order_id}": read(noQuery, "Cancels an open order."),
  "GET /v1/orders/me": read(ordersQuery, "The user's orders, newest first."),
  "GET /v1/trades/me": read(rowsQuery, "The user's trades, newest first."),
  "GET /v1/funding/me": read(rowsQuery, "Funding paid and received, newest first."),
  "GET /v1/positions/me": read(noQuery, "The user's open positions."),
  "GET /v1/fees/me": read(noQuery, "Fee rates, and what has been paid."),
  "GET /v1/balances/me": read(noQuery, "What the user has, by wallet and asset."),
  "GET /v1/positions/{user_id}/open": read(
    noQuery,
    "Anybody's open positions; with development tools only.",
  ),
  "GET /v1/account/{user_id}/balances": read(
    noQuery,
    "Anybody's balances; with development tools only.",
  ),
  "GET /v1/markets": read(noQuery, "The perpetual markets."),
  "GET /v1/icons/{file}": read(noQuery, "The icon of a coin, as SVG."),
  "GET /v1/markets/{symbol}/candles": read(candlesQuery, "The newest candles that traded."),
  "GET /v1/markets/{symbol}/ticker": read(noQuery, "Prices and the last 24 hours."),
  "GET /v1/markets/{symbol}/orderbook": read(orderbookQuery, "The order book, best first."),
  "GET /v1/markets/{symbol}/recent-trades": read(recentTradesQuery, "Trades, newest first."),
  "GET /v1/markets/{symbol}/funding-rate": read(noQuery, "Funding now and as it was settled."),
};
