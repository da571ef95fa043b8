import { send } from '../lib/api.ts';
import { date } from '../lib/format.ts';
import { type Action, useAction } from '../lib/load.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { field, form } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { problem } from '../parts/problem.ts';
import type { Remittance } from '../wire/api.ts';
import type { Pool } from '../wire/contents.ts';

/** The typed figures, keyed by the field paths of the API's findings. */
type Figures = Readonly<Record<string, string>>;
type Input = { name: string; label: string; required?: boolean };

const COLLATERAL: readonly Input[] = [
  { name: 'beginning_pool_balance', label: 'Beginning balance', required: true },
  { name: 'scheduled_principal', label: 'Scheduled principal', required: true },
  { name: 'prepayments', label: 'Prepayments' },
  { name: 'repurchases', label: 'Repurchases' },
  { name: 'gross_losses', label: 'Gross losses' },
  { name: 'recoveries', label: 'Recoveries' },
  { name: 'interest', label: 'Interest' },
  { name: 'ending_pool_balance', label: 'Ending balance', required: true },
];
const TRANCHE: readonly Input[] = [
  { name: 'beginning_balance', label: 'Beginning balance', required: true },
  { name: 'interest_paid', label: 'Interest paid', required: true },
  { name: 'interest_shortfall', label: 'Interest shortfall' },
  { name: 'principal_paid', label: 'Principal paid', required: true },
  { name: 'write_down', label: 'Write-down' },
  { name: 'ending_balance', label: 'Ending balance', required: true },
];

/** The servicer's report of the next period. A figure that does not tie has the expected one beneath it. */
export function ReportRemittance({ pool, after }: { pool: Pool; after: () => void }): VNode {
  const period = (pool.last_remittance?.period ?? 0) + 1;
  const names = notesOf(pool);
  const [paid, setPaid] = useState('');
  const [figures, setFigures] = useState<Figures>(() => openingOf(pool, names));
  const reporting = useAction(async () => {
    const { status } = await send<Remittance>('POST', `/v1/api/originator/pools/${pool.pool_id}/remittances`, {
      period,
      payment_date: paid,
      collateral: amountsOf(figures, 'collateral', COLLATERAL),
      tranches: names.map((tranche, index) => ({ tranche, ...amountsOf(figures, `tranches[${index}]`, TRANCHE) })),
    });
    notify(status === 'SCHEDULED' ? `Period ${period} is scheduled for ${date(paid)}.` : `Period ${period} is reported.`);
    after();
  });
  const group = (legend: string, path: string, inputs: readonly Input[]): VNode =>
    html`<fieldset><legend>${legend}</legend>
      <div class="grid five">${inputs.map((each) => amount(each, `${path}.${each.name}`, figures, setFigures, reporting))}</div>
    </fieldset>`;
  return html`
    <details class="group">
      <summary><strong>Report period ${period}</strong> <span class="fine">it has to tie to the cent, to itself and to the previous one</span></summary>
      <div class="inside">
        ${form(
          () => void reporting.run(),
          field({
            name: 'payment_date',
            label: 'Payment date',
            type: 'date',
            value: paid,
            set: setPaid,
            required: true,
            problem: reporting.problem,
            hint: pool.last_remittance && `After ${date(pool.last_remittance.payment_date)}.`,
          }),
          group('Collateral', 'collateral', COLLATERAL),
          names.map((name, index) => group(`Tranche ${name}`, `tranches[${index}]`, TRANCHE)),
          problem(reporting.problem),
          html`<button type="submit" class="primary" disabled=${reporting.busy}>Report it</button>`,
        )}
      </div>
    </details>
  `;
}

function amount(
  { label, required }: Input,
  path: string,
  figures: Figures,
  set: (figures: Figures) => void,
  reporting: Action<[]>,
): VNode {
  return field({
    name: path,
    label,
    type: 'number',
    value: figures[path] ?? '',
    set: (value) => set({ ...figures, [path]: value }),
    ...(required ? { required } : {}),
    problem: reporting.problem,
    attributes: { step: '0.01', inputmode: 'decimal' },
  });
}

/** The residual takes the rest: servicers report the notes. */
const notesOf = (pool: Pool): string[] =>
  (pool.structure?.tranches ?? []).filter((each) => each.class !== 'RESIDUAL').map((each) => each.tranche);

/** The period begins where the previous one ended, and the first one with the closing balances. */
function openingOf(pool: Pool, names: readonly string[]): Figures {
  const last = pool.last_remittance;
  const balanceOf = (name: string): number | undefined =>
    [...(last?.tranches ?? []), ...(pool.structure?.tranches ?? [])].find((each) => each.tranche === name)?.balance;
  return Object.fromEntries([
    ['collateral.beginning_pool_balance', String(last?.pool.pool_balance ?? pool.balance)],
    ...names.map((name, index) => [`tranches[${index}].beginning_balance`, String(balanceOf(name) ?? '')]),
  ]);
}

const amountsOf = (figures: Figures, path: string, inputs: readonly Input[]): Record<string, number> =>
  Object.fromEntries(
    inputs.flatMap(({ name }) => {
      const text = figures[`${path}.${name}`] ?? '';
      return text === '' ? [] : [[name, Number(text)]];
    }),
  );
