// What a withdrawal pays to whom. Its number and the text of its destination are rows in SQL, written
// before the command; the journal holds the number and a hash, so that neither can be changed unseen.

export interface WithdrawalTerms {
  /** Row of the destination in SQL; never given twice. */
  readonly withdrawalId: number;
  readonly asset: number;
  /** Minor units taken from the account, the fee included. */
  readonly amount: bigint;
  /** Minor units that the venue keeps if it is paid. */
  readonly fee: bigint;
  /** The first 128 bits of the hash of the destination, as two signed words. */
  readonly destinationHigh: bigint;
  readonly destinationLow: bigint;
}
