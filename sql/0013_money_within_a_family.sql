-- What an owner's accounts are and move is read from the journal itself, where it is rare: the sub-accounts of an owner
-- (kind 58), and money between accounts of one owner (kind 59) by its sender and its receiver. Owner and receiver are
-- found by the four bytes of their numbers.
create index journal_sub_accounts on journal (substring(body from 25 for 4), seq) where kind = 58;
create index journal_family_sent on journal (account, ts_us) where kind = 59;
create index journal_family_received on journal (substring(body from 33 for 4), ts_us) where kind = 59;
