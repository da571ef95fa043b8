import { isDeepStrictEqual } from 'node:util';
import { addDays } from '../dates.ts';
import { roundHalfEven } from '../money.ts';
import { accrualCoupons } from './accrual-coupons.ts';
import { periodsUpTo } from './certificate.ts';
import {
  accrualStartOf,
  type Fixing,
  fixingAt,
  fixingsOf,
  type FloatingCoupon,
  knownFixing,
  resetPlace,
} from './compiled-coupon.ts';
import type { PaymentPeriods, PoolDates } from './periods.ts';
import type { Remittance, RemittanceState, RemittanceTranche } from './remittance.ts';
import type { Structure } from './structure.ts';

/*
 * The indices of floaters in a reported period: by its fixings, and where there are none by the rates that were paid.
 */

/** Fixings of the market by index, each in the order of their dates. */
export type RecordedFixings = Readonly<Record<string, readonly Fixing[]>>;

export type RecordedFixing = Fixing & { index: string };

export type ReportedIndices = {
  /** By tranche, percent a year; null for one that is no floater, and where nothing is known of it. */
  byTranche: readonly (number | null)[];
  /** The recorded fixings among them. */
  taken: readonly RecordedFixing[];
  /** Indices of floaters with a balance of which nothing is known. */
  unknown: readonly string[];
  /** Fixings of one accrual that differ: the one that counts, and another. */
  differing: readonly { index: string; counts: number; other: number; difference: number }[];
};

/** A floater in the period: what its row says, and its fixings in the order in which they count. */
type Floater = { place: number; coupon: FloatingCoupon; row: RemittanceTranche | undefined; fixings: FoundFixing[] };
type FoundFixing = { rate: number; recorded: Fixing | null };

/** The indices of a period: the fixing of its report counts first, then the operator's, then the structure's; a rate that was paid is none of them. */
export function findIndices(
  structure: Structure,
  dates: PoolDates,
  state: RemittanceState,
  report: Remittance,
  recorded: RecordedFixings,
): ReportedIndices {
  const { period, payment_date } = report;
  const periods = periodsUpTo(structure, dates, state, { period, paymentDate: payment_date });
  const floaters = structure.tranches.flatMap(({ tranche, coupon }, place): Floater[] => {
    if (coupon?.type !== 'FLOATING') return [];
    const row = report.tranches.find((each) => each.tranche === tranche);
    return [{ place, coupon, row, fixings: fixingsFor(coupon, structure, periods, report, recorded) }];
  });
  const open = floaters.filter((each) => each.fixings.length === 0 && earns(each));
  const paid = open.length > 0 ? paidIndices(structure, dates, state, report, floaters) : new Map<number, number>();
  const byTranche = new Array<number | null>(structure.tranches.length).fill(null);
  for (const { place, fixings } of floaters) byTranche[place] = fixings[0]?.rate ?? 0;
  for (const { place } of open) byTranche[place] = paid.get(place) ?? null;
  const earning = floaters.filter(earns);
  return {
    byTranche,
    taken: distinct(
      earning.flatMap(({ coupon: { index }, fixings: [first] }) => (first?.recorded ? [{ index, ...first.recorded }] : [])),
    ),
    unknown: distinct(open.filter(({ place }) => byTranche[place] === null).map(({ coupon }) => coupon.index)),
    differing: distinct(earning.flatMap(differences)),
  };
}

/** A class without a balance earns nothing at any rate. */
const earns = ({ row }: Floater): boolean => row !== undefined && row.beginning_balance !== 0;

function fixingsFor(
  { index, reset }: FloatingCoupon,
  structure: Structure,
  periods: PaymentPeriods,
  { period, fixings = {} }: Remittance,
  recorded: RecordedFixings,
): FoundFixing[] {
  const place = resetPlace(reset, periods, period - 1);
  const observed = (of: number) => addDays(accrualStartOf(periods, of), -(reset?.lag_days ?? 0));
  const list = Object.hasOwn(recorded, index) ? recorded[index] : [];
  const market = fixingAt(list, observed(place), place === 0 ? undefined : observed(place - 1));
  const own = knownFixing(fixingsOf(structure, index), periods, place);
  return [
    ...(Object.hasOwn(fixings, index) ? [{ rate: fixings[index], recorded: null }] : []),
    ...(market ? [{ rate: market.rate, recorded: market }] : []),
    ...(own ? [{ rate: own.rate, recorded: null }] : []),
  ];
}

/** Decimals to which fixings are compared. */
const DECIMALS = 8;

function differences({ coupon: { index }, fixings: [first, ...others] }: Floater): ReportedIndices['differing'] {
  if (!first) return [];
  return others
    .map(({ rate: other }) => ({ index, counts: first.rate, other, difference: roundHalfEven(first.rate - other, DECIMALS) }))
    .filter(({ difference }) => difference !== 0);
}

/**
 * By tranche the index that a paid rate tells. One at a limit of the coupon tells no index: it counts for its own class alone, and not where
 * the class is owed what the limit cuts.
 */
function paidIndices(
  structure: Structure,
  dates: PoolDates,
  state: RemittanceState,
  report: Remittance,
  floaters: readonly Floater[],
): Map<number, number> {
  const isFree = limitsOf(structure, dates, state, report);
  const implied = floaters.flatMap((each) => {
    const index = impliedIndex(each);
    return index === null ? [] : [{ ...each, index, told: isFree(each) }];
  });
  return new Map(
    floaters.flatMap(({ place, coupon }) => {
      const own = implied.find((each) => each.place === place);
      const other = implied.find(
        (each) => each.told && each.coupon.index === coupon.index && isDeepStrictEqual(each.coupon.reset, coupon.reset),
      );
      const index = own?.told ? own.index : (other?.index ?? (coupon.carry_over ? undefined : own?.index));
      return index === undefined ? [] : [[place, index] as const];
    }),
  );
}

function impliedIndex({ coupon, row }: Floater): number | null {
  const { margin_bp, multiplier = 1 } = coupon;
  if (row?.rate === undefined || row.beginning_balance === 0 || typeof margin_bp !== 'number' || multiplier === 0) return null;
  return (row.rate - margin_bp / 100) / multiplier;
}

/** An index that leaves a coupon to its limits, percent a year. */
const EXTREME = 1e6;
/** How near to a limit a reported rate is at it: reports round. */
const AT_LIMIT = 1e-5;

/** Whether the rate of a class lies between the limits of its coupon; false where a limit is not known. */
function limitsOf(
  structure: Structure,
  dates: PoolDates,
  state: RemittanceState,
  report: Remittance,
): (floater: Floater) => boolean {
  const couponsAt = (index: number) =>
    accrualCoupons(structure, dates, {
      period: report.period,
      state,
      paymentDate: report.payment_date,
      loanRate: null,
      netRate: report.rates?.NET_WAC ?? null,
      indices: structure.tranches.map(({ coupon }) =>
        coupon?.type === 'FLOATING' ? index * Math.sign(coupon.multiplier ?? 1) : null,
      ),
    });
  const [lowest, highest] = [couponsAt(-EXTREME), couponsAt(EXTREME)];
  return ({ place, row }) => {
    const [low, high] = [lowest[place], highest[place]];
    return row?.rate !== undefined && low !== null && high !== null && row.rate > low + AT_LIMIT && row.rate < high - AT_LIMIT;
  };
}

const distinct = <Value>(values: readonly Value[]): Value[] =>
  values.filter((value, place) => values.findIndex((other) => isDeepStrictEqual(other, value)) === place);
