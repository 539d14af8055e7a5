-- What the names of a batch's changes on the ledger end with: whoever else submits through the same
-- participant cannot know it. Null for batches of before, whose names must stay as they were.
alter table settlement_batches add column token text;
