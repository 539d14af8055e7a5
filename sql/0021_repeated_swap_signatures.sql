-- The trader's last signature that a swap took. Unlike `signature` it stays when the swap takes its next step, so that a
-- repeated request gets the same answer. A signature whose transaction did not commit is forgotten.
alter table swaps add column taken_signature text;
update swaps set taken_signature = signature where signature is not null;
