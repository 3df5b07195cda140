create table if not exists orders (
    id varchar(64) primary key,
    customer varchar(200) not null,
    amount numeric(12, 2) not null,
    state varchar(10) not null,
    placed_at timestamp(9) with time zone not null,
    closes_at timestamp(9) with time zone not null,
    ended_at timestamp(9) with time zone
);

-- one row: articles that are reserved for open orders, and those that are sold
create table if not exists stock (reserved int not null, sold int not null);
insert into stock select 0, 0 where not exists (select * from stock);
