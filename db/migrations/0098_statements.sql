-- What a tranche's factor and coupon and a tranche's mark were at any instant. Both tables follow the rows that change; their own rows never do.
select set_config('sluice.scope', 'platform', true);

create table tranche_factors (
  entry_id bigint generated always as identity primary key,
  tranche_id text not null references tranches,
  organization_id text not null references organizations,
  factor numeric(18,8) not null,
  -- Interest is paid up to this date, and accrues from it at this coupon; null where it was not known.
  accrued_from date not null,
  coupon numeric(14,8),
  set_at timestamptz not null
);
create index tranche_factors_latest on tranche_factors (tranche_id, set_at desc, entry_id desc);
call sluice_protect('tranche_factors');
create policy market on tranche_factors for select using ((select sluice_in_market()));

-- A publication of a mark: publishing a calculation again moves the mark's own `published_at`.
create table mark_publications (
  tranche_id text not null references tranches,
  calculation_id text not null,
  organization_id text not null,
  price numeric(18,8) not null,
  yield numeric(18,8),
  spread_bp numeric(18,8),
  wal numeric(18,8),
  duration numeric(18,8),
  as_of date not null,
  published_at timestamptz not null,
  constraint mark_publications_once primary key (tranche_id, published_at, calculation_id)
);
call sluice_protect('mark_publications');
create policy market on mark_publications for select using ((select sluice_in_market()));

-- The history so far: the issue, reports that were applied before payments were booked, then what the payments say.
insert into tranche_factors (tranche_id, organization_id, factor, accrued_from, set_at)
select t.tranche_id, t.organization_id, case when t.original_balance > 0 then 1 else 0 end, t.dated_date, d.created_at
from tranches t join securitization_deals d using (deal_id) order by d.created_at, t.tranche_id;
insert into tranche_factors (tranche_id, organization_id, factor, accrued_from, set_at)
select t.tranche_id, t.organization_id, round((e ->> 'ending_balance')::numeric / t.original_balance, 8), r.payment_date, r.applied_at
from remittances r
  join tranches t on t.deal_id = r.deal_id and t.original_balance > 0
  join lateral json_array_elements(r.report -> 'tranches') e on e ->> 'tranche' = t.tranche and e ->> 'ending_balance' is not null
where r.status = 'APPLIED' and not exists (select 1 from payments p where p.remittance_id = r.remittance_id)
order by r.applied_at, r.period;
insert into tranche_factors (tranche_id, organization_id, factor, accrued_from, set_at)
select p.tranche_id, t.organization_id, p.factor_after, p.payment_date, p.created_at
from (select tranche_id, created_at, period, version, factor_after, min(payment_date) as payment_date from payments group by 1, 2, 3, 4, 5) p
  join tranches t using (tranche_id) order by p.created_at, p.period, p.version;
insert into tranche_factors (tranche_id, organization_id, factor, accrued_from, set_at)
select t.tranche_id, t.organization_id, t.factor, t.accrued_from, sluice_now()
from tranches t where t.factor <> (select f.factor from tranche_factors f where f.tranche_id = t.tranche_id order by set_at desc, entry_id desc limit 1);
update tranche_factors f set accrued_from = t.accrued_from from tranches t
where f.entry_id = (select l.entry_id from tranche_factors l where l.tranche_id = t.tranche_id order by l.set_at desc, l.entry_id desc limit 1);
update tranche_factors f set coupon = case when t.coupon_terms is null then t.coupon else (
    select least(coalesce(t.cap, 'Infinity'), greatest(coalesce(t.floor, 0), x.rate * t.multiplier + t.margin_bp / 100)) from (
      (select rate, 1 as choice from fixings where index = t.index and date <= greatest(f.accrued_from, t.dated_date) order by date desc limit 1)
      union all
      (select rate, 2 from fixings where index = t.index and date > greatest(f.accrued_from, t.dated_date) order by date limit 1)
      order by choice limit 1) x) end
from tranches t where t.tranche_id = f.tranche_id;
insert into mark_publications (tranche_id, calculation_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at)
select tranche_id, calculation_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at from marks;

create trigger tranche_factors_append_only before update or delete on tranche_factors for each row execute function sluice_refuse();
create trigger mark_publications_append_only before update or delete on mark_publications for each row execute function sluice_refuse();

create function sluice_keep_factor() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.factor is distinct from old.factor or new.accrued_from is distinct from old.accrued_from
    or new.coupon is distinct from old.coupon then
    insert into tranche_factors (tranche_id, organization_id, factor, accrued_from, coupon, set_at)
    values (new.tranche_id, new.organization_id, new.factor, new.accrued_from, new.coupon, sluice_now());
  end if;
  return null;
end $$;
create trigger tranches_keep_factor after insert or update on tranches for each row execute function sluice_keep_factor();

create function sluice_keep_publication() returns trigger language plpgsql as $$
begin
  insert into mark_publications (tranche_id, calculation_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at)
  values (new.tranche_id, new.calculation_id, new.organization_id, new.price, new.yield, new.spread_bp, new.wal, new.duration, new.as_of, new.published_at)
  on conflict do nothing;
  return null;
end $$;
create trigger marks_keep_publication after insert or update on marks for each row execute function sluice_keep_publication();

-- An investor's statement of a month that has ended, as it was made first: it never changes.
create table statements (
  organization_id text not null references organizations,
  month text not null check (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  -- The first instant after the month, by the business zone of then: the next month begins there.
  ends_at timestamptz not null,
  figures json not null,
  created_at timestamptz not null,
  constraint statements_once primary key (organization_id, month)
);
call sluice_protect('statements');
create trigger statements_append_only before update or delete on statements for each row execute function sluice_refuse();

-- Settled trades of an investor, and payments by the instant of their booking.
create index trades_settled on trades (organization_id, settled_at) where status = 'SETTLED';
create index payments_booked on payments (organization_id, created_at);
