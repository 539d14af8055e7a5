-- Commission that an account claimed (kind 31) is part of its income, and rare in the journal.
create index journal_claims on journal (account, ts_us) where kind = 31;
