-- Fixings of the indices that floating tranches follow, percent a year. They are facts of the market and belong to no organization.
create table fixings (
  index text not null,
  date date not null,
  rate numeric(12,6) not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint fixings_pkey primary key (index, date)
);
create index fixings_newest on fixings (created_at desc, index, date);

alter table tranches add column index text, add column margin_bp numeric(12,6), add column cap numeric(12,6), add column floor numeric(12,6);
select set_config('sluice.scope', 'platform', true);
update tranches t set index = c.coupon->>'index', margin_bp = (c.coupon->>'margin_bp')::numeric, cap = (c.coupon->>'cap')::numeric,
  floor = (c.coupon->>'floor')::numeric
from (
  select d.deal_id, s->>'tranche' as tranche, s->'coupon' as coupon
  from securitization_deals d join pools p using (pool_id), json_array_elements(p.structure->'tranches') s
  where s->'coupon'->>'type' = 'FLOATING') c
where c.deal_id = t.deal_id and c.tranche = t.tranche;

-- The rate of the accrual period that begins on that day: the latest fixing up to it, else the first after it; with margin, within cap and floor.
create function sluice_floating_rate(followed text, margin numeric, lowest numeric, highest numeric, starts date) returns numeric
language sql stable parallel safe set search_path = public, pg_temp as $$
  select least(coalesce(highest, 'Infinity'), greatest(coalesce(lowest, '-Infinity'), f.rate + margin / 100))
  from (
    (select rate, 1 as choice from fixings where fixings.index = followed and fixings.date <= starts order by fixings.date desc limit 1)
    union all
    (select rate, 2 from fixings where fixings.index = followed and fixings.date > starts order by fixings.date limit 1)
    order by choice limit 1) f
$$;

-- The coupon of a floating tranche is the rate of its present accrual period; null before a fixing.
create function sluice_set_floating_coupon() returns trigger language plpgsql as $$
begin
  new.coupon := sluice_floating_rate(new.index, new.margin_bp, new.floor, new.cap, greatest(new.accrued_from, new.dated_date));
  return new;
end $$;
create trigger tranches_floating_coupon before insert or update on tranches for each row
  when (new.coupon_type = 'FLOATING') execute function sluice_set_floating_coupon();
create function sluice_apply_fixing() returns trigger language plpgsql as $$
begin
  update tranches set accrued_from = accrued_from where index = new.index and coupon_type = 'FLOATING';
  return null;
end $$;
create trigger fixings_apply after insert or update on fixings for each row execute function sluice_apply_fixing();

-- Where the interest of a trade begins: a floater's is computed again when the trade settles. Null for trades from before.
alter table trades add column accrued_from date;
