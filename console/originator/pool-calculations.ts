import { list, send } from '../lib/api.ts';
import { date, time, words } from '../lib/format.ts';
import { pollDelay, useAction, useLoad } from '../lib/load.ts';
import { go } from '../lib/router.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { field, form } from '../parts/form.ts';
import { card } from '../parts/page.ts';
import { problem, shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { CalculationSummary } from '../wire/api.ts';
import type { Pool } from '../wire/contents.ts';

/** The calculations of a pool, and the next one. */
export function PoolCalculations({ pool }: { pool: Pool }): VNode {
  const path = `/v1/api/originator/analytics/pools/${pool.pool_id}/calculations`;
  const known = useLoad(
    () => list<CalculationSummary>(path, { limit: 20 }),
    [pool.pool_id],
    (data, polls) => (data.rows.some((row) => ['PENDING', 'RUNNING'].includes(row.status)) ? pollDelay(polls) : null),
  );
  const paid = pool.last_remittance;
  const [given, setGiven] = useState({
    type: 'PRICING',
    start: paid ? 'LATEST' : 'CUT_OFF',
    speed: 'cpr',
    prepayment: '10',
    cdr: '1',
    severity: '50',
  });
  const set = (name: keyof typeof given) => (value: string) => setGiven({ ...given, [name]: value });
  const action = useAction(async () => {
    const { calculation_id: made } = await send<CalculationSummary>('POST', path, {
      type: given.type,
      from: given.start,
      ...(given.start === 'CUT_OFF' ? { as_of: pool.closing_date, settlement_date: pool.closing_date } : {}),
      assumptions: { [given.speed]: Number(given.prepayment), cdr: Number(given.cdr), severity: Number(given.severity) },
    });
    go(`/pools/${pool.pool_id}/calculations/${made}`);
  });
  const number = (name: 'prepayment' | 'cdr' | 'severity', label: string, hint: string): VNode =>
    field({
      name,
      label,
      hint,
      type: 'number',
      value: given[name],
      set: set(name),
      required: true,
      attributes: { min: 0, step: 'any' },
    });
  return card(
    'Calculations',
    html`
      ${form(
        () => void action.run(),
        html`<div class="grid five">
            ${field({ name: 'type', label: 'Calculate', value: given.type, set: set('type'), options: TYPES })}
            ${
              paid &&
              field({
                name: 'start',
                label: 'Start',
                value: given.start,
                set: set('start'),
                options: [
                  { value: 'LATEST', text: `The report of period ${paid.period}` },
                  { value: 'CUT_OFF', text: 'The closing date' },
                ],
              })
            }
            ${field({ name: 'speed', label: 'Prepayment as', value: given.speed, set: set('speed'), options: SPEEDS })}
            ${number('prepayment', 'Prepayment', 'CPR in percent')} ${number('cdr', 'CDR', 'percent a year')} ${number('severity', 'Severity', 'percent of default')}
          </div>
          <button type="submit" class="primary" disabled=${action.busy}>Calculate</button>`,
      )}
      ${problem(action.problem)} ${shown(known, ({ rows }) => table({ caption: 'Calculations', columns: columnsOf(pool), rows, empty: 'Nothing has been calculated yet.' }))}
    `,
  );
}

const TYPES = ['PRICING', 'CASHFLOW', 'BREAKEVEN'].map((value) => ({ value, text: words(value) }));
const SPEEDS = ['cpr', 'psa', 'abs', 'smm'].map((value) => ({ value, text: value.toUpperCase() }));

const columnsOf = (pool: Pool): readonly Column<CalculationSummary>[] => [
  {
    title: 'Calculation',
    kind: 'wide',
    cell: (row) =>
      html`<a href="#/pools/${pool.pool_id}/calculations/${row.calculation_id}"><strong>${words(row.type)}</strong></a>${row.purpose === 'MARK' && html`<small>for the mark</small>`}`,
  },
  { title: 'Status', cell: (row) => badge(row.status) },
  { title: 'As of', cell: (row) => date(row.as_of) },
  { title: 'From', cell: (row) => (row.opening ? `Period ${row.opening.period}` : 'Closing') },
  { title: 'By', cell: (row) => words(row.granularity) },
  { title: 'Requested', cell: (row) => time(row.created_at) },
];
