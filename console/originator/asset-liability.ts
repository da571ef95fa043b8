import { get } from '../lib/api.ts';
import { date, money, percent, plural, words, years } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { stackedChart } from '../parts/chart.ts';
import { card, figures } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { AssetLiabilityProjection, AssetLiabilityRow } from '../wire/api.ts';

/** The collateral against the notes, payment date by payment date, as the latest calculation has them. */
export function AssetLiability({ pool }: { pool: string }): VNode {
  const loaded = useLoad(
    () => get<AssetLiabilityProjection>(`/v1/api/originator/analytics/pools/${pool}/asset-liability`),
    [pool],
  );
  return shown(loaded, (given) => [
    figures([
      { name: 'Collateral life', value: years(given.collateral_wal), note: 'WAL' },
      { name: 'Notes life', value: years(given.notes_wal), note: 'WAL' },
      { name: 'Mismatch', value: years(given.wal_mismatch), note: 'collateral less notes' },
    ]),
    card(
      'Collateral over notes',
      chartOf(alive(given.rows)),
      html`<a href="#/pools/${pool}/calculations/${given.calculation_id}">The calculation as of ${date(given.as_of)}</a>
        <span class="fine">${words(given.scenario)}</span>`,
    ),
    html`<details class="group">
      <summary><strong>Payment dates</strong> <span class="fine">${plural(alive(given.rows).length, 'period')}</span></summary>
      <div class="dense">${table({ caption: 'Asset and liability', columns: COLUMNS, rows: alive(given.rows) })}</div>
    </details>`,
  ]);
}

/** Up to the last payment date that leaves a loan or a note. */
const alive = (rows: readonly AssetLiabilityRow[]): readonly AssetLiabilityRow[] =>
  rows.slice(0, rows.findLastIndex((row) => row.collateral_balance > 0 || row.note_balance > 0) + 2);

/** Notes and over-collateralisation together are the collateral; a shortfall has no area of its own. */
const chartOf = (rows: readonly AssetLiabilityRow[]): VNode =>
  stackedChart({
    title: `Collateral over notes from ${date(rows[0]?.date)} to ${date(rows.at(-1)?.date)}`,
    dates: rows.map((row) => row.date),
    series: [
      { name: 'Over-collateralisation', values: rows.map((row) => Math.max(0, row.over_collateralization)) },
      { name: 'Notes', values: rows.map((row) => row.note_balance) },
    ],
  });

const COLUMNS: readonly Column<AssetLiabilityRow>[] = [
  { title: 'Period', kind: 'number', cell: (row) => row.period },
  { title: 'Payment date', cell: (row) => date(row.date) },
  { title: 'Collateral', kind: 'number', cell: (row) => money(row.collateral_balance) },
  { title: 'Notes', kind: 'number', cell: (row) => money(row.note_balance) },
  { title: 'OC', kind: 'number', cell: (row) => percent(row.oc) },
  { title: 'Excess spread', kind: 'number', cell: (row) => percent(row.excess_spread) },
  { title: 'To the residual', kind: 'number', cell: (row) => money(row.residual) },
];
