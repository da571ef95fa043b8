import { readFile } from 'node:fs/promises';
import { indexCurvesOf } from '../../finance/structure/normalize.ts';
import type { TrancheRow } from '../../finance/structure/rows.ts';
import { trancheCash, type TrancheCash } from '../../finance/structure/tranche-cash.ts';
import type { ObjectStore } from '../../platform/files/store.ts';
import type { LatestMark, MarkSource } from './mark-queries.ts';

/** A mark and the cash from which it was computed; null where its calculation reports none for the tranche. */
export type MarkWithCash = LatestMark & { cash: TrancheCash | null };

/** Reads the rows of the first scenario of each mark's calculation: marks are published from that one. */
export async function readMarkCash(store: ObjectStore, sources: readonly MarkSource[]): Promise<MarkWithCash[]> {
  const keys = [...new Set(sources.flatMap(({ details_key }) => details_key ?? []))];
  const rows = new Map(await Promise.all(keys.map(async (key) => [key, await readRows(store, key)] as const)));
  return sources.map(({ tranche_id, tranche, calculation_id, price, yield: marked, ...source }) => ({
    tranche_id,
    tranche,
    calculation_id,
    price,
    yield: marked,
    cash: cashOf(tranche, source, rows.get(source.details_key ?? '')?.[tranche]),
  }));
}

/** The cash flow rows of the first scenario of a calculation, by tranche. */
export async function readRows(store: ObjectStore, key: string): Promise<Record<string, TrancheRow[]>> {
  const path = await store.localPath(`${key}/0.json`);
  if (!path) throw new Error(`the cash flows ${key} behind a mark are not in the store`);
  const detail = JSON.parse(await readFile(path, 'utf8')) as { tranches: Record<string, TrancheRow[]> };
  return detail.tranches;
}

function cashOf(
  tranche: string,
  { request, structure, opening, settlement_date, cut_off_date, closing_date }: Omit<MarkSource, keyof LatestMark>,
  rows: readonly TrancheRow[] | undefined,
): TrancheCash | null {
  if (!rows || !request || !structure || !settlement_date || !cut_off_date || !closing_date) return null;
  return trancheCash(structure, tranche, rows, {
    settlementDate: settlement_date,
    yieldBasis: request.yield_basis ?? 'BEY',
    cutOff: cut_off_date,
    closing: closing_date,
    indexCurves: indexCurvesOf(request),
    ...(opening ? { opening: opening.state } : {}),
  });
}
