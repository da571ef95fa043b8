-- A report pays every holder of a deal, so that of all records payments are the first to be millions: the operator's list of them is read in its
-- order, and their totals are kept.
create index payments_newest on payments (payment_date desc nulls last, payment_id desc nulls last) include (organization_id);
create index payments_holder on payments (holder, payment_date desc nulls last, payment_id desc nulls last);
call sluice_keep_totals('payments', 'holder');
