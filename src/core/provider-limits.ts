// Limits of liquidity providers and of requests to them.

/** Liquidity providers that receive one quote request: those with the best scores. */
export const providersPerQuoteMax = 8;

/** Provider registrations awaiting the operator's decision. This bounds what unauthenticated parties can store. */
export const pendingProvidersMax = 200;

/** Characters of a provider's name. */
export const providerNameLengthMax = 64;

/** Characters of a provider's URL; paths are appended to it. */
export const providerUrlLengthMax = 256;

/** Longest provider answer that is read: the largest valid one is an acceptance of 600 bytes. */
export const providerAnswerBytesMax = 8192;

/** Concurrent requests for quotes, or notices, to one provider; more would only queue at the provider. */
export const providerConnectionsMax = 16;
