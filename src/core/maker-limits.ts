// Limits of market-maker protection.

/** Groups of market-maker protection of one account: as many as an account can have markets. */
export const groupsPerAccountMax = 16;

/** Groups of one owner, in its account and its sub-accounts: enough for four accounts with all they can have. */
export const groupsPerOwnerMax = 64;

/**
 * Groups of one owner while at least half of the venue's are taken. So no few hundred accounts can take all groups: 32
 * owners could take the first half, and then each needs an owner of its own.
 */
export const groupsPerOwnerLate = 1;

/** Groups of market-maker protection in the venue. All of them with a full window take some 250 MB, idle ones 1 MB. */
export const makerGroupsMax = 4096;

/** Fills that a group counts in its window; every group is triggered at this number at the latest. */
export const groupFillsMax = 1000;

/** Longest window of a group, in microseconds: ten minutes. */
export const groupWindowUsMax = 600_000_000;
