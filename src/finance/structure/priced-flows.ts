import { toCents } from '../money.ts';
import type { IsoDate } from '../types.ts';
import type { CalculationResult, ScenarioDetail } from './calculate.ts';

/** What a tranche is paid on a date after settlement, and what of its balance is lost; cents. */
export type FlowRow = [date: IsoDate, interest: number, principal: number, writedown: number];

/** A tranche after settlement: its clean price per 100, null without a balance, its average life in years, and what it is paid. */
export type PricedTranche = { price: number | null; wal?: number | null; rows: FlowRow[] };

/** A deal under one scenario. */
export type PricedFlows = { tranches: Record<string, PricedTranche>; warnings: string[] };

/** The scenarios of a calculation in their order; what is unpaid at the end is written down with the last payment. `warnings` that name a scenario are its own. */
export function pricedFlows(result: CalculationResult, details: readonly ScenarioDetail[]): PricedFlows[] {
  const names = result.results.map(({ scenario }) => `scenario "${scenario}"`);
  return result.results.map(({ scenario, tranches }, index) => ({
    tranches: Object.fromEntries(
      tranches.map(({ tranche, price, wal, write_down }) => [
        tranche,
        { price, wal, rows: rowsOf(details[index], tranche, toCents(write_down), result.settlement_date) },
      ]),
    ),
    warnings: result.warnings
      .filter((warning) => names.every((name, other) => other === index || !warning.includes(name)))
      .map((warning) => warning.replace(`scenario "${scenario}"`, 'the scenario')),
  }));
}

function rowsOf(detail: ScenarioDetail | undefined, tranche: string, lost: number, settlement: IsoDate): FlowRow[] {
  const all = detail?.tranches[tranche] ?? [];
  const written = all.reduce((sum, row) => sum + toCents(row.write_down), 0);
  const rows = all.map(
    ({ date, interest_paid, carry_over_paid = 0, principal, write_down }, index): FlowRow => [
      date,
      toCents(interest_paid) + toCents(carry_over_paid),
      toCents(principal),
      toCents(write_down) + (index === all.length - 1 ? Math.max(0, lost - written) : 0),
    ],
  );
  return rows.filter(([date, ...amounts]) => date > settlement && amounts.some((amount) => amount !== 0));
}
