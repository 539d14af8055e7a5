-- Money from the faucet (kind 41) is income like credits and transfers: all of them under one index.
drop index journal_transfers;
create index journal_transfers on journal (account, ts_us) where kind in (2, 3, 41);
