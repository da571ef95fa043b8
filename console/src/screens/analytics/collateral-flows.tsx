import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import { shortMoney } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import type { CashFlow } from './side.ts';

type Actual = Records['PerformancePeriod'];
type Props = { rows: readonly CashFlow[]; actual: readonly Actual[]; scenario: string };
type Values = readonly (number | null)[];

const [YEAR, WHOLE] = [12, 100];

/** The loans in a scenario beside what they have done: balance, speeds and losses, actual solid and projected dashed. */
export function CollateralFlows({ rows, actual, scenario }: Props): ReactNode {
  const projected = new Map(rows.map((row) => [row.period, row]));
  const reported = new Map(actual.map((period) => [period.period, period]));
  const periods = [...new Set([...reported.keys(), ...projected.keys()])].toSorted((one, other) => one - other);
  const losses = lossesOf(rows, actual);
  const lines = (was: (period: Actual) => number | null, is: (row: CashFlow) => number | null) => {
    const both: [name: string, values: Values, projected: boolean][] = [
      ['Actual', periods.map((period) => valueIn(reported.get(period), was)), false],
      ['Projected', periods.map((period) => valueIn(projected.get(period), is)), true],
    ];
    return both
      .filter(([, values]) => values.some((value) => value !== null))
      .map(([name, values, of]) => ({ name, values, projected: of, color: of ? 1 : 0 }));
  };
  const about = { axis: 'Period', labels: periods.map(String) };
  return (
    <div className="charts">
      <Lines
        title={`Balance of the loans in ${scenario}`}
        unit="US$, at the end of each period"
        {...about}
        format={shortMoney}
        series={lines(
          ({ closing }) => closing,
          ({ closing }) => closing,
        )}
      />
      <Lines
        title={`Cumulative net loss in ${scenario}`}
        unit="Percent of the original pool"
        {...about}
        format={percent}
        series={lines(
          ({ cnl }) => cnl,
          ({ period }) => losses.get(period) ?? null,
        )}
      />
      <Lines
        title={`Prepayment in ${scenario}`}
        unit="CPR in percent a year"
        {...about}
        format={percent}
        series={lines(
          ({ cpr }) => cpr,
          (row) => speed(row.opening - (row.scheduled_principal ?? 0), row.prepayment),
        )}
      />
      <Lines
        title={`Default in ${scenario}`}
        unit="CDR in percent a year"
        {...about}
        format={percent}
        series={lines(
          ({ cdr }) => cdr,
          (row) => speed(row.opening, row.default),
        )}
      />
    </div>
  );
}

const valueIn = <Of,>(of: Of | undefined, value: (of: Of) => number | null): number | null =>
  of === undefined ? null : value(of);

/** A share of a month's balance as a rate a year; none without a balance. */
function speed(base: number, part: number | undefined): number | null {
  if (part === undefined || base <= 0) return null;
  return WHOLE * (1 - (1 - Math.min(1, part / base)) ** YEAR);
}

/** Losses of the scenario on top of those that were reported before it begins, in percent of the original pool. */
function lossesOf(rows: readonly CashFlow[], actual: readonly Actual[]): ReadonlyMap<number, number> {
  const [first] = rows;
  if (!first) return new Map();
  const before = actual.find(({ period }) => period === first.period - 1);
  const original = before?.factor ? before.closing / before.factor : first.opening;
  let lost = before?.cnl ?? 0;
  return new Map(
    rows.map(({ period, loss = 0 }) => {
      lost += original > 0 ? (WHOLE * loss) / original : 0;
      return [period, lost];
    }),
  );
}
