-- A leader that has lost its connection to the bus hands over to a follower that has one. So followers report whether
-- they have.

alter table followers add column has_bus boolean not null default false;
