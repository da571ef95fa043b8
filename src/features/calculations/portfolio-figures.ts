import { monthOf, type Month } from '../../finance/business-date.ts';
import { fromCents, parseCents } from '../../finance/money.ts';
import { marketValueOf } from '../../finance/position-value.ts';
import type { PricedFlows } from '../../finance/structure/priced-flows.ts';
import type { LoanType } from '../../loans/types.ts';
import type { Id } from '../../platform/ids.ts';

/* What a book is worth and is paid under scenarios: positions have shares of the cash flows of their tranches. Amounts are cents. */

/** A position as a run values it; decimal text, the balance in cents. */
export type HeldPosition = {
  tranche_id: Id<'trn'>;
  tranche: string;
  class: string;
  face: string;
  original_balance: string;
  balance: string;
};

/** What an organization holds of a deal. */
export type HeldDeal = {
  asset_type: LoanType;
  originator: string;
  positions: HeldPosition[];
  /** Of the marks of all tranches that have one, held or not, so that whoever holds the deal asks the same; percent a year. */
  yields: Record<string, number>;
};

type Paid = { interest: number; principal: number; writedown: number };
type MonthPaid = Paid & { month: Month };
type PositionFigures = Paid & { tranche_id: Id<'trn'>; market_value: number; price: number | null; wal: number | null };
type StoredFigures = Omit<PositionFigures, 'price' | 'wal'> & Partial<Pick<PositionFigures, 'price' | 'wal'>>;

/** A deal under one scenario. A release before prices and average lives were kept may have stored it while the run goes on. */
export type DealFigures = { positions: StoredFigures[]; months: MonthPaid[]; warnings: string[] };

const NOTHING: Paid = { interest: 0, principal: 0, writedown: 0 };
const add = <Sums extends Paid>(sums: Sums, { interest, principal, writedown }: Paid): Sums => ({
  ...sums,
  interest: sums.interest + interest,
  principal: sums.principal + principal,
  writedown: sums.writedown + writedown,
});

/** Decimal places of prices that a calculation gives. */
const PRICE_DECIMALS = 8;

export function dealFigures({ positions }: Pick<HeldDeal, 'positions'>, { tranches, warnings }: PricedFlows): DealFigures {
  const months = new Map<Month, MonthPaid>();
  const figures = positions.map(({ tranche_id, tranche, face, original_balance, balance }): PositionFigures => {
    const { price = null, wal = null, rows = [] } = tranches[tranche] ?? {};
    const share = shareOf(face, original_balance);
    let total = NOTHING;
    for (const [date, ...amounts] of rows) {
      const [interest, principal, writedown] = [share(amounts[0]), share(amounts[1]), share(amounts[2])];
      const month = monthOf(date);
      months.set(month, add(months.get(month) ?? { month, ...NOTHING }, { interest, principal, writedown }));
      total = add(total, { interest, principal, writedown });
    }
    // Without a price nothing is left of the tranche at settlement.
    const value = price === null ? 0n : marketValueOf(BigInt(balance), price.toFixed(PRICE_DECIMALS));
    return { tranche_id, market_value: Number(value), price, wal, ...total };
  });
  return { positions: figures, months: [...months.values()], warnings };
}

/** The cents of a face in those of its tranche by largest remainder against the rest of the face, as payments are shared. */
function shareOf(face: string, original: string): (cents: number) => number {
  const [own, whole] = [parseCents(face), parseCents(original)];
  // Of two remainders the larger one is above half, and the first of equal ones is its own.
  const ofPositive = (cents: bigint): bigint => (2n * cents * own + whole) / (2n * whole);
  return (cents) => (cents < 0 ? -Number(ofPositive(BigInt(-cents))) : Number(ofPositive(BigInt(cents))));
}

type GroupName = 'class' | 'asset_type' | 'originator';
type WireGroup = Paid & { name: string; market_value: number; position_count: number };

/** A position under one scenario, in currency units; the yield is that of its mark, at which its cash flows are discounted. */
type WirePosition = Paid & {
  deal_id: Id<'deal'>;
  tranche_id: Id<'trn'>;
  tranche: string;
  class: string;
  market_value: number;
  price: number | null;
  yield: number | null;
  wal: number | null;
};

/** A book under one scenario, in currency units. */
export type PortfolioResult = Paid & {
  scenario: string;
  market_value: number;
  wal: number | null;
  months: MonthPaid[];
  positions: WirePosition[];
} & Record<`by_${GroupName}`, WireGroup[]>;

/** The figures of all deals together, by scenario. */
export function portfolioResults(
  scenarios: readonly string[],
  deals: readonly { deal_id: Id<'deal'>; holding: HeldDeal; figures: readonly DealFigures[] }[],
): PortfolioResult[] {
  return scenarios.map((scenario, index) => {
    const rows = deals.flatMap(({ deal_id, holding, figures }) => {
      const byTranche = new Map(figures[index]?.positions.map((each) => [each.tranche_id, each]));
      return holding.positions.flatMap((position) => {
        const own = byTranche.get(position.tranche_id);
        if (!own) return [];
        const { asset_type, originator, yields } = holding;
        const { tranche, class: className } = position;
        const { price = null, wal = null } = own;
        return [
          { ...own, price, wal, deal_id, tranche, class: className, asset_type, originator, yield: yields[tranche] ?? null },
        ];
      });
    });
    const months = new Map<Month, MonthPaid>();
    for (const each of deals.flatMap(({ figures }) => figures[index]?.months ?? []))
      months.set(each.month, add(months.get(each.month) ?? { month: each.month, ...NOTHING }, each));
    const groups = (by: GroupName): WireGroup[] =>
      [...Map.groupBy(rows, (row) => row[by])]
        .map(([name, members]) => ({ name, ...sumsOf(members), position_count: members.length }))
        .toSorted((a, b) => b.market_value - a.market_value || (a.name < b.name ? -1 : 1));
    return {
      scenario,
      ...sumsOf(rows),
      wal: meanLife(rows),
      months: [...months.values()].toSorted((a, b) => (a.month < b.month ? -1 : 1)).map(inUnits),
      positions: rows.map(({ asset_type: _type, originator: _originator, ...row }) => ({
        ...inUnits(row),
        market_value: fromCents(row.market_value),
      })),
      by_class: groups('class'),
      by_asset_type: groups('asset_type'),
      by_originator: groups('originator'),
    };
  });
}

/** Years until principal is paid, weighted by it; null where that of a position is not known. */
function meanLife(rows: readonly { principal: number; wal: number | null }[]): number | null {
  const repaid = rows.filter(({ principal }) => principal > 0);
  let [weighted, principal] = [0, 0];
  for (const row of repaid) {
    if (row.wal === null) return null;
    weighted += row.wal * row.principal;
    principal += row.principal;
  }
  return principal === 0 ? null : Math.round((weighted / principal) * LIFE_DIGITS) / LIFE_DIGITS;
}

const LIFE_DIGITS = 1e8;

const inUnits = <Sums extends Paid>({ interest, principal, writedown, ...more }: Sums) => ({
  ...more,
  interest: fromCents(interest),
  principal: fromCents(principal),
  writedown: fromCents(writedown),
});

function sumsOf(rows: readonly (Paid & { market_value: number })[]): Paid & { market_value: number } {
  const total = rows.reduce((sums, row) => ({ ...add(sums, row), market_value: sums.market_value + row.market_value }), {
    ...NOTHING,
    market_value: 0,
  });
  return { ...inUnits(total), market_value: fromCents(total.market_value) };
}
