import { roundHalfEven } from '../money.ts';
import type { Collateral } from '../types.ts';
import type { CompiledStructure } from './compiled-structure.ts';
import type { WaterfallFlows } from './flows.ts';
import { discountMarginAt } from './measures.ts';
import type { NormalRequest, PriceTable } from './normal-request.ts';
import { trancheResult } from './results.ts';
import { trancheRows } from './rows.ts';

/** A price or a yield under one scenario. Null where the tranche has none, as in its result. */
export type PriceCell = {
  scenario: string;
  price: number | null;
  yield: number | null;
  spread_bp: number | null;
  discount_margin_bp: number | null;
  modified_duration: number | null;
  wal: number | null;
  first_period: number | null;
  last_period: number | null;
};

/** A given price, or a given yield, under every scenario. */
export type PriceRow = { price: number | null; yield: number | null; cells: PriceCell[] };

type Ran = { structure: CompiledStructure; flows: WaterfallFlows; collateral: Collateral };

/** The rows of a table without cells. */
export const emptyRows = ({ prices, yields }: PriceTable): PriceRow[] =>
  prices
    ? prices.map((price) => ({ price, yield: null, cells: [] }))
    : (yields ?? []).map((rate) => ({ price: null, yield: rate, cells: [] }));

/** Adds the cells of a scenario, each as a calculation with that price or yield alone would give it. */
export function addCells(rows: readonly PriceRow[], table: PriceTable, scenario: string, ran: Ran, request: NormalRequest): void {
  const { structure, flows } = ran;
  const trancheIndex = structure.tranches.findIndex(({ name }) => name === table.tranche);
  const reported = trancheRows(structure, flows, trancheIndex);
  for (const row of rows) {
    const terms = {
      ...request,
      prices: row.price === null ? {} : { [table.tranche]: row.price },
      yields: row.yield === null ? {} : { [table.tranche]: row.yield },
    };
    const {
      price,
      yield: rate,
      spread_bp,
      modified_duration,
      wal,
      first_period,
      last_period,
    } = trancheResult(structure, flows, trancheIndex, reported, terms);
    const margin = discountMarginAt(ran, trancheIndex, request, price);
    row.cells.push({
      scenario,
      price,
      yield: rate,
      spread_bp,
      discount_margin_bp: margin === null ? null : roundHalfEven(margin, 8),
      modified_duration,
      wal,
      first_period,
      last_period,
    });
  }
}
