// The form of a ledger party's id: its name and the fingerprint of its key. The venue pays to no other destination.

export const partyForm = /^[A-Za-z0-9_.-]{1,120}::1220[0-9a-f]{64}$/;
