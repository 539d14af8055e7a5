-- Matches that self-trade prevention kept from being trades are read from the journal itself: by the eight bytes
-- that hold the id of the order that came, and of the one that rested.
create index journal_prevented_takers on journal (substring(body from 25 for 8), seq) where kind = 48;
create index journal_prevented_makers on journal (substring(body from 33 for 8), seq) where kind = 48;
