import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Ranges } from '../../charts/ranges.tsx';
import { percent } from '../../ui/format-market.ts';
import { Read } from '../../ui/read.tsx';
import type { CashFlow, Side } from './side.ts';

type Result = Records['ScenarioResult'];
type Layer = { name: string; color: string; low: number; high: number };
type Props = { side: Side; calculationId: string; result: Result };

/** Where losses of the loans reach each class, and how far they reach in the simulation. */
export function Layers({ side, calculationId, result }: Props): ReactNode {
  const { scenario, risk } = result;
  const flows = useQuery({
    queryKey: [...side.key, calculationId, 'cash', scenario],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => side.cashFlows(calculationId, scenario),
  });
  if (!risk) return null;
  const { mean, tail, maximum } = risk.collateral;
  return (
    <Read from={flows}>
      {(rows) => {
        const layers = layersOf(rows, result.tranches);
        return (
          layers.length > 0 && (
            <Ranges
              title={`Losses of the loans against the classes in ${scenario}`}
              unit="Percent of the pool at the start, projected; before excess spread and reserves"
              ends={['Attaches at', 'Detaches at']}
              ranges={layers.map((layer) => ({ ...layer, marks: [] }))}
              lines={[
                { name: 'Expected loss', value: mean },
                ...tail.map(({ confidence, value_at_risk }) => ({ name: `VaR ${confidence * WHOLE}%`, value: value_at_risk })),
                { name: 'Largest of the paths', value: maximum },
              ]}
              format={percent}
            />
          )
        );
      }}
    </Read>
  );
}

const WHOLE = 100;

/** Classes in the order of the structure, the first reached last, and what lies below all of them. */
function layersOf(rows: readonly CashFlow[], tranches: Result['tranches']): readonly Layer[] {
  const opening = (name: string): number => rows.find(({ tranche }) => tranche === name)?.opening ?? 0;
  const pool = opening('collateral');
  if (pool <= 0) return [];
  let above = 0;
  const layers = [...new Set(tranches.map((of) => of.class))].flatMap((name): Layer[] => {
    const members = tranches.filter((of) => of.class === name && opening(of.tranche) > 0);
    const balance = members.reduce((sum, { tranche }) => sum + opening(tranche), 0);
    const first = members[0]?.tranche;
    if (first === undefined) return [];
    const high = Math.max(0, pool - above);
    above += balance;
    return [{ name: `Class ${name}`, color: first, low: percentOf(pool - above, pool), high: percentOf(high, pool) }];
  });
  return above >= pool
    ? layers
    : [...layers, { name: 'Overcollateral', color: 'pool', low: 0, high: percentOf(pool - above, pool) }];
}

const percentOf = (part: number, pool: number): number => Math.max(0, (WHOLE * part) / pool);
