import type { ReactNode } from 'react';
import { lookOf } from '../../charts/palette.ts';
import { money, share, shortMoney } from '../../ui/format.tsx';
import type { Tranche } from './draft.ts';

type Slice = { name: string; balance: number; below: number };

/** Tranches from the most senior down, and what is left of the pool below them. */
function slicesOf(tranches: readonly Tranche[], pool: number): { slices: Slice[]; total: number } {
  const notes = tranches
    .filter(({ balance }) => (balance ?? 0) > 0)
    .toSorted((one, other) => (one.seniority ?? 0) - (other.seniority ?? 0));
  const sum = notes.reduce((all, { balance = 0 }) => all + balance, 0);
  let left = Math.max(pool, sum);
  const slices = notes.map(({ tranche, balance = 0 }) => {
    left -= balance;
    return { name: tranche, balance, below: left };
  });
  return { slices, total: Math.max(pool, sum) };
}

/** The capital structure to scale: each tranche as thick as its balance, with its credit enhancement. */
export function Capital({ tranches, pool }: { tranches: readonly Tranche[]; pool: number }): ReactNode {
  const { slices, total } = slicesOf(tranches, pool);
  const sum = slices.reduce((all, { balance }) => all + balance, 0);
  const over = pool - sum;
  return (
    <figure className="capital">
      <figcaption>
        Capital structure of {money(pool)}
        {over < 0 && <strong> · the tranches exceed the pool by {money(-over)}</strong>}
      </figcaption>
      <ol aria-label="Capital structure">
        {slices.map(({ name, balance, below }) => (
          <li key={name} style={{ flexGrow: balance / total, borderInlineStartColor: lookOf(name).color }}>
            <b>{name}</b>
            <span>
              {shortMoney(balance)}, {share(balance, total)}; enhancement {share(below, total)}
            </span>
          </li>
        ))}
        {over > 0 && (
          <li style={{ flexGrow: over / total }} className="equity">
            <b>Overcollateralization</b>
            <span>
              {shortMoney(over)}, {share(over, total)}
            </span>
          </li>
        )}
      </ol>
    </figure>
  );
}
