-- A member is compared with the ledger whenever its coins moved: what its batches moved is found by its party.

create index settlement_batches_of_a on settlement_batches (party_a) where state = 5;
create index settlement_batches_of_b on settlement_batches (party_b) where state = 5;
