-- A coupon that may differ from one accrual to the next, in words; null for one that stays. Its amount is computed from the structure of the
-- pool, the reports and the fixings, and `coupon` is that of the present accrual; null where something that it depends on is not known.
alter table tranches add column coupon_terms text, add column multiplier numeric(12,6);
alter table tranches alter column coupon type numeric(14,8);

drop trigger fixings_apply on fixings;
drop function sluice_apply_fixing();
drop trigger tranches_floating_coupon on tranches;
drop function sluice_set_floating_coupon();
drop function sluice_floating_rate(text, numeric, numeric, numeric, date);

select set_config('sluice.scope', 'platform', true);
update tranches set multiplier = 1,
  coupon_terms = 'a floating rate of ' || index || ' plus ' || trim_scale(margin_bp)::text || ' basis points'
    || coalesce(', at most ' || trim_scale(cap)::text || ' %', '') || coalesce(', at least ' || trim_scale(floor)::text || ' %', '')
where coupon_type = 'FLOATING';
