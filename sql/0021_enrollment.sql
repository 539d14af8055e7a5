-- Accounts that enroll themselves: whether a member's contract was ever seen, which tells one who has
-- revoked it from one who has not accepted it yet.

alter table settlement_members add column was_active boolean not null default false;
update settlement_members set was_active = auth_cid is not null;
