import { numberOrNull } from '../../finance/decimal.ts';
import Type, { type Static } from 'typebox';
import { roundHalfEven } from '../../finance/money.ts';
import { addCents } from '../../finance/structure/remittance.ts';
import { recoveriesOf } from '../../finance/structure/tie-remittance.ts';
import { named } from '../../platform/http/named.ts';
import { money, nullable } from '../../platform/http/schemas.ts';
import { annualPercent, percent } from '../remittances/performance.ts';
import type { AppliedReport } from '../remittances/queries.ts';
import type { PoolMonth } from '../servicing/queries.ts';
import type { PerformancePeriod } from './pool-performance.ts';
import { RollState } from './roll-state.ts';

/** A period as a tape has it, without what was projected. */
type TapePeriod = Omit<PerformancePeriod, 'projected'>;

/** A pool as it was formed. */
export type ClosingPool = { balance: number; loan_count: number };

/**
 * The periods of a pool as the tapes in force have them, ascending. `reports` are all applied ones: their recoveries stand in for tapes that
 * have none, and their other figures beside those of the tape.
 */
export function tapePeriods(
  months: readonly PoolMonth[],
  reports: readonly AppliedReport[],
  paymentDates: ReadonlyMap<number, string>,
  pool: ClosingPool,
): TapePeriod[] {
  let net = 0;
  let unknown = false;
  return months.map((month) => {
    const { figures, period, compared_with } = month;
    const covered = reports.filter((each) => each.period > compared_with && each.period <= period);
    const reported =
      covered.length === period - compared_with ? addCents(...covered.map(({ report }) => recoveriesOf(report))) : null;
    const defaulted = Number(figures.defaulted);
    const recovered = numberOrNull(figures.recovered) ?? reported;
    net = addCents(net, defaulted, -(recovered ?? 0));
    unknown ||= recovered === null && net > 0;
    const notes = [
      ...(compared_with < period - 1
        ? [
            `covers the periods ${compared_with + 1} to ${period}, since no tape of ${compared_with + 1 === period - 1 ? 'the one' : 'those'} before is in force`,
          ]
        : []),
      ...(figures.recovered === null && reported !== null
        ? ['recovered is that of the servicer report: the tape has no column of recoveries']
        : []),
      ...(unknown ? ['cnl leaves recoveries out: neither the tapes nor the reports of all periods have them'] : []),
      ...(figures.delinquent_30 === null
        ? ['the tape does not say how many days loans are past due: they count as current']
        : []),
    ];
    const own = tapeFigures(month, { recovered, net, notes, pool }, paymentDates.get(period) ?? null);
    const certificate = reports.find((each) => each.period === period);
    return certificate ? { ...own, ties: tiesOf(own, month, certificate) } : own;
  });
}

function tapeFigures(
  { period, months, figures, rolls }: PoolMonth,
  { recovered, net, notes, pool }: { recovered: number | null; net: number; notes: string[]; pool: ClosingPool },
  payment_date: string | null,
): TapePeriod {
  const [opening, closing, defaulted] = [Number(figures.opening), Number(figures.closing), Number(figures.defaulted)];
  const [scheduled, prepaid] = [numberOrNull(figures.scheduled), numberOrNull(figures.prepaid)];
  const late = (amount: string | null) => (amount === null ? null : percent(Number(amount), closing));
  const from = new Map<string, number>();
  for (const roll of rolls) from.set(roll.from, addCents(from.get(roll.from) ?? 0, Number(roll.balance)));
  return {
    period,
    basis: 'TAPE',
    payment_date,
    opening,
    scheduled,
    prepaid,
    principal_collected: Number(figures.principal_collected),
    repurchased: Number(figures.repurchased),
    defaulted,
    recovered,
    adjustment: Number(figures.adjustment),
    closing,
    factor: pool.balance > 0 ? roundHalfEven(closing / pool.balance, 8) : null,
    cpr: scheduled === null || prepaid === null ? null : annualPercent(prepaid, opening - scheduled, months),
    abs: pool.loan_count > 0 ? roundHalfEven((100 * figures.prepaid_count) / pool.loan_count / months, 6) : null,
    cdr: annualPercent(defaulted, opening, months),
    cnl: percent(net, pool.balance) ?? 0,
    severity: recovered === null ? null : percent(addCents(defaulted, -recovered), defaulted),
    delinquent_30: late(figures.delinquent_30),
    delinquent_60: late(figures.delinquent_60),
    delinquent_90: late(figures.delinquent_90),
    delinquent_120: late(figures.delinquent_120),
    roll: rolls.map((roll) => ({
      from: roll.from,
      to: roll.to,
      percent: percent(Number(roll.balance), from.get(roll.from) ?? 0) ?? 0,
      count: roll.count,
    })),
    count: figures.count,
    ties: [],
    notes,
  };
}

const FLOWS = ['opening', 'scheduled', 'prepaid', 'principal_collected', 'repurchased', 'defaulted', 'recovered'] as const;
const STOCKS = ['closing', 'count', 'delinquent_30', 'delinquent_60'] as const;

/** The figures that both have, beside each other. What a tape counts over several periods has no figure of one report beside it. */
function tiesOf(own: TapePeriod, month: PoolMonth, { report, performance: { pool } }: AppliedReport): TapePeriod['ties'] {
  const { collateral } = report;
  const { scheduled_principal, prepayments, repurchases = 0, gross_losses = 0, loan_count } = collateral;
  const certificate = {
    opening: collateral.beginning_pool_balance ?? collateral.beginning_balance ?? null,
    scheduled: scheduled_principal ?? null,
    prepaid: prepayments ?? null,
    principal_collected:
      scheduled_principal === undefined
        ? (collateral.principal_collected ?? null)
        : addCents(scheduled_principal, prepayments ?? 0),
    repurchased: repurchases,
    defaulted: gross_losses,
    recovered: recoveriesOf(report),
    closing: pool.pool_balance,
    count: loan_count ?? null,
    delinquent_30: pool.delinquent_30,
    delinquent_60: pool.delinquent_60,
    wac: pool.wac,
    wam: pool.wam,
  };
  const tape = {
    ...own,
    recovered: numberOrNull(month.figures.recovered),
    wac: numberOrNull(month.figures.wac),
    wam: numberOrNull(month.figures.wam),
  };
  const isOne = month.compared_with === month.period - 1;
  const names = [...(isOne ? FLOWS : []), ...STOCKS, 'wac', 'wam'] as const;
  return names.flatMap((figure) => {
    const [ours, theirs] = [tape[figure], certificate[figure]];
    if (ours === null || theirs === null) return [];
    return [{ figure, tape: ours, certificate: theirs, difference: roundHalfEven(ours - theirs, 6) }];
  });
}

export const PoolCurvesSchema = named('PoolCurves', {
  vintages: Type.Array(
    named('VintageCurve', {
      vintage: nullable(Type.String({ description: 'Quarter of origination, such as 2025Q3; null for loans without a date.' })),
      balance: money('Balance at closing.'),
      periods: Type.Array(
        named('VintagePeriod', {
          period: Type.Integer(),
          closing: money('After the period.'),
          count: Type.Integer({ description: 'Loans after the period.' }),
          prepaid_count: Type.Integer({ description: 'Loans prepaid in the period.' }),
          defaulted_count: Type.Integer({ description: 'Loans charged off in the period.' }),
          cumulative_default: nullable(Type.Number({ description: 'Charged off so far, percent of the balance at closing.' })),
          cumulative_loss: nullable(
            Type.Number({ description: 'Charged off less recovered on the tapes so far, percent of the balance at closing.' }),
          ),
          delinquent_60: nullable(Type.Number({ description: '60 days and more past due, percent of closing.' })),
        }),
      ),
    }),
  ),
  rolls: Type.Array(
    named('PoolRollRate', {
      from: RollState,
      to: RollState,
      percent: Type.Number({ description: 'Percent of the balance that was in `from`, over all these periods.' }),
      count: Type.Integer({ description: 'Loans that moved so, counted in each period.' }),
      balance: money('What they owed before.'),
    }),
    { description: 'Moves between states from one tape to the next, over all these periods together.' },
  ),
});

/** The curves of a pool's vintages, and how loans rolled between states, over the months of its own tapes. */
export function poolCurves(months: readonly PoolMonth[]): Static<typeof PoolCurvesSchema> {
  const vintages = new Map<
    string | null,
    Static<typeof PoolCurvesSchema>['vintages'][number] & { defaulted: number; net: number }
  >();
  for (const { period, vintages: rows } of months) {
    for (const row of rows) {
      const curve = vintages.get(row.vintage) ?? {
        vintage: row.vintage,
        balance: Number(row.opening),
        periods: [],
        defaulted: 0,
        net: 0,
      };
      curve.defaulted = addCents(curve.defaulted, Number(row.defaulted));
      curve.net = addCents(curve.net, Number(row.defaulted), -Number(row.recovered));
      curve.periods.push({
        period,
        closing: Number(row.closing),
        count: row.count,
        prepaid_count: row.prepaid_count,
        defaulted_count: row.defaulted_count,
        cumulative_default: percent(curve.defaulted, curve.balance),
        cumulative_loss: percent(curve.net, curve.balance),
        delinquent_60: percent(Number(row.delinquent_60), Number(row.closing)),
      });
      vintages.set(row.vintage, curve);
    }
  }
  return {
    vintages: [...vintages.values()].map(({ vintage, balance, periods }) => ({ vintage, balance, periods })),
    rolls: rollRates(months),
  };
}

function rollRates(months: readonly PoolMonth[]): Static<typeof PoolCurvesSchema>['rolls'] {
  const moves = new Map<string, Static<typeof PoolCurvesSchema>['rolls'][number]>();
  const from = new Map<string, number>();
  for (const roll of months.flatMap(({ rolls }) => rolls)) {
    const key = `${roll.from} ${roll.to}`;
    const move = moves.get(key) ?? { from: roll.from, to: roll.to, percent: 0, count: 0, balance: 0 };
    move.count += roll.count;
    move.balance = addCents(move.balance, Number(roll.balance));
    moves.set(key, move);
    from.set(roll.from, addCents(from.get(roll.from) ?? 0, Number(roll.balance)));
  }
  return [...moves.values()].map((move) => ({ ...move, percent: percent(move.balance, from.get(move.from) ?? 0) ?? 0 }));
}
