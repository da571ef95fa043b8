import { apportion, parseCents } from '../../finance/money.ts';
import { type LoanGroup, loanGroups } from '../../loans/analytics/exposures.ts';
import { LEAST_SHOWN, OTHER } from '../../loans/analytics/small-groups.ts';
import type { Deps } from '../../platform/deps.ts';
import { localFile } from '../../platform/files/local-file.ts';
import type { Id } from '../../platform/ids.ts';
import { disclosureKey } from '../pools/disclosure-key.ts';
import type { HeldDeal } from './exposure-queries.ts';
import { toWeights } from './portfolio.ts';

export const EXPOSURE_FIELDS = ['state', 'servicer', 'obligor'] as const;
export type ExposureField = (typeof EXPOSURE_FIELDS)[number];
export const LEFT_OUT_REASONS = ['OBLIGORS_NOT_DISCLOSED', 'NO_LOANS', 'WITHDRAWN', 'NOTHING_OUTSTANDING'] as const;

/** What has no name because its deal says none. */
const NOT_DISCLOSED = '(not disclosed)';

type LeftOut = { deal_id: Id<'deal'>; reason: (typeof LEFT_OUT_REASONS)[number] };
export type Exposure = { name: string; balance: number; share: number; deals: number; left_out?: LeftOut[] };

/** Groups of the whole book that have a name of their own. */
const SHOWN_MAX = 1_000;

/**
 * The investor's part of the pools behind its positions, largest group first: of each deal its share of the outstanding tranches, of the reported pool
 * balance, over the groups of the closing tape. Deals without groups are one row that says why; the rows add up to the book.
 */
export async function readExposures(deps: Deps, deals: readonly HeldDeal[], by: ExposureField): Promise<Exposure[]> {
  const sums = new Map<string, { balance: bigint; deals: Set<string> }>();
  const add = (name: string, balance: bigint, dealId: string): void => {
    const sum = sums.get(name) ?? { balance: 0n, deals: new Set() };
    sum.balance += balance;
    sum.deals.add(dealId);
    sums.set(name, sum);
  };
  const leftOut: LeftOut[] = [];
  for (const deal of deals) {
    const part = partOf(deal);
    const groups = await groupsOf(deps, deal, by);
    if (typeof groups === 'string') {
      leftOut.push({ deal_id: deal.deal_id, reason: groups });
      add(NOT_DISCLOSED, part, deal.deal_id);
      continue;
    }
    const parts = apportion(
      part,
      groups.map(({ balance }) => (balance > 0n ? balance : 0n)),
    );
    for (const [index, { name }] of groups.entries()) add(name, parts[index] ?? 0n, deal.deal_id);
  }
  return toExposures(sums, leftOut);
}

/** The investor's part of a pool, in cents. */
function partOf({ held, outstanding, pool_balance, is_backed }: HeldDeal): bigint {
  const whole = parseCents(outstanding);
  return whole > 0n && is_backed ? (parseCents(held) * parseCents(pool_balance)) / whole : 0n;
}

/** The groups of a deal's loans, or why it has none. */
async function groupsOf(
  deps: Deps,
  deal: HeldDeal,
  by: ExposureField,
): Promise<Pick<LoanGroup, 'name' | 'balance'>[] | LeftOut['reason']> {
  const { disclosed, loans_key, loan_type: loanType, cut_off_date: asOf } = deal;
  if (!deal.is_backed) return 'WITHDRAWN';
  if (partOf(deal) === 0n) return 'NOTHING_OUTSTANDING';
  if (by === 'servicer') return [{ name: deal.originator, balance: 1n }];
  if (!loans_key) return 'NO_LOANS';
  const field = by === 'state' ? 'state' : 'obligor_id';
  if (by === 'obligor' && !disclosed?.includes(field)) return 'OBLIGORS_NOT_DISCLOSED';
  // Who reads field and balance of every loan may see groups of one.
  const isOpen = ['current_balance', field].every((name) => disclosed?.includes(name));
  const least = isOpen ? 1 : LEAST_SHOWN;
  const loansPath = await localFile(deps, loans_key);
  const key = disclosureKey(deps, deal.owner_id);
  const groups = await loanGroups({ engine: deps.columns, loansPath, loanType, asOf, field, least, key });
  return groups.some(({ balance }) => balance > 0n) ? groups : 'NOTHING_OUTSTANDING';
}

function toExposures(
  sums: ReadonlyMap<string, { balance: bigint; deals: Set<string> }>,
  leftOut: readonly LeftOut[],
): Exposure[] {
  const ranked = [...sums].sort(([a, { balance: x }], [b, { balance: y }]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1));
  const own = ranked.filter(([name]) => name !== OTHER && name !== NOT_DISCLOSED);
  const rest = [...ranked.filter(([name]) => name === OTHER), ...own.slice(SHOWN_MAX)];
  const others = {
    balance: rest.reduce((sum, [, each]) => sum + each.balance, 0n),
    deals: new Set(rest.flatMap(([, each]) => [...each.deals])),
  };
  const hidden = ranked.filter(([name]) => name === NOT_DISCLOSED);
  const rows = [...own.slice(0, SHOWN_MAX), ...(rest.length > 0 ? [[OTHER, others] as const] : []), ...hidden];
  const sorted = rows.toSorted(([, a], [, b]) => (a.balance === b.balance ? 0 : a.balance > b.balance ? -1 : 1));
  const shares = toWeights(sorted.map(([, { balance }]) => Number(balance)));
  return sorted.map(([name, { balance, deals }], index) => ({
    name,
    balance: Number(balance) / 100,
    share: shares[index] ?? 0,
    deals: deals.size,
    ...(name === NOT_DISCLOSED ? { left_out: [...leftOut] } : {}),
  }));
}
