import { fixingAt } from '../../finance/structure/compiled-coupon.ts';
import type { CalculationFault } from '../../finance/structure/normalize.ts';
import type { CalculationOpening } from '../../finance/structure/opening.ts';
import type { CalculationRequest } from '../../finance/structure/request.ts';
import type { Remittance, RemittanceState } from '../../finance/structure/remittance.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { loadFixings } from '../fixings/queries.ts';
import {
  type AppliedPayment,
  findRemittanceBefore,
  listAppliedPayments,
  type RemittanceWithState,
} from '../remittances/queries.ts';

/** A pool whose deal may have paid. */
type PaidPool = { organization_id: Id<'org'>; pool_id: Id<'pool'>; structure: Structure; closing_date: string };

/** Where a calculation starts, null for the closing date; and the structure with the fixings that are known there. */
export type FoundOpening = { opening: CalculationOpening | null; structure: Structure; faults: CalculationFault[] };

/** Reads the state from which the request starts, as its `from` and its dates say. */
export async function findOpening(tx: Tx, pool: PaidPool, request: CalculationRequest): Promise<FoundOpening> {
  const { structure } = pool;
  const fromClosing = { opening: null, structure, faults: [] };
  if (request.from === 'CUT_OFF') return fromClosing;
  const applied = await listAppliedPayments(tx, pool);
  const latest = applied.at(-1);
  const from = request.from ?? (latest && isLater(request, latest.payment_date) ? 'LATEST' : 'CUT_OFF');
  if (from === 'CUT_OFF') return fromClosing;
  const last = from === 'LATEST' ? latest : applied.find(({ period }) => period === from);
  const report = last && (await findRemittanceBefore(tx, pool, last.period + 1));
  if (!report) return { ...fromClosing, faults: [notApplied(from, latest)] };
  const paid = applied.filter(({ period }) => period <= report.period);
  return {
    opening: {
      from,
      state: { ...withAccounts(report.state, structure), payment_date: report.payment_date },
      payment_dates: paid.map(({ payment_date }) => payment_date),
      warnings: unknownAfter(report, structure),
    },
    structure: await withFixings(tx, pool, paid),
    faults: [],
  };
}

/** Whether a request that does not say so counts from the last payment: it names a date, and none before it. */
const isLater = ({ as_of, settlement_date = as_of }: CalculationRequest, paymentDate: string): boolean =>
  as_of !== undefined && as_of >= paymentDate && settlement_date !== undefined && settlement_date >= paymentDate;

function notApplied(from: 'LATEST' | number, latest: AppliedPayment | undefined): CalculationFault {
  const known = latest
    ? `expected LATEST, CUT_OFF or a period from 1 to ${latest.period}, the last applied report`
    : 'no report of this pool was applied: leave it out, or CUT_OFF';
  return { code: 'ASSUMPTIONS_INVALID', path: 'from', message: `is ${from}; ${known}` };
}

/** A state of before kept the accounts as one balance. */
function withAccounts(state: RemittanceState, { accounts = [] }: Structure): RemittanceState {
  const [only] = accounts;
  if (state.accounts || !only || accounts.length > 1) return state;
  return { ...state, accounts: { [only.account]: { balance: state.reserve_balance } } };
}

/** What a report without the cash that was available leaves unknown of its state. */
function unknownAfter({ period, report, state }: RemittanceWithState, structure: Structure): string[] {
  const { accounts = [], fees = [], triggers = [], waterfall } = structure;
  const unknown = [
    ...(fees.length > 0 ? ['unpaid fees'] : []),
    ...(waterfall.some(({ limit }) => typeof limit === 'object' && 'per' in limit) ? ['what limits of a year have paid'] : []),
    ...(accounts.some(({ non_declining }) => non_declining) ? ['the highest targets of accounts'] : []),
    ...(accounts.length > 1 && !everyAccount(report, structure) ? ['the balance of each account'] : []),
    ...(triggers.length > 0 ? ['ratio tests of triggers'] : []),
  ];
  if (report.available || unknown.length === 0) return [];
  const before = state.fees ? 'as they were after the last report that did' : '0 or as at closing';
  return [`the report of period ${period} does not say the cash that was available: ${unknown.join(', ')} are taken ${before}`];
}

const everyAccount = ({ accounts: reported = [] }: Remittance, { accounts = [] }: Structure): boolean =>
  accounts.every(({ account }) => reported.some((each) => each.account === account && each.closing !== undefined));

/**
 * The structure with the fixings of the periods that were paid and of the one in progress. Those of a report win over the recorded ones, and
 * these over the structure's.
 */
async function withFixings(tx: Tx, { structure, closing_date }: PaidPool, paid: readonly AppliedPayment[]): Promise<Structure> {
  const indices = followedIndices(structure);
  if (indices.length === 0) return structure;
  const recorded = await loadFixings(tx, indices);
  const starts = [structure.payment?.dated_date ?? closing_date, ...paid.map(({ payment_date }) => payment_date)];
  const fixings = indices.map((index) => [
    index,
    [
      ...(structure.fixings?.[index] ?? []),
      ...starts.flatMap((start, place) => fixingAt(recorded[index] ?? [], start, starts[place - 1]) ?? []),
      ...paid.flatMap(({ fixings: reported }, place) => {
        const rate = reported && Object.hasOwn(reported, index) ? reported[index] : undefined;
        return rate === undefined ? [] : [{ date: starts[place], rate }];
      }),
    ],
  ]);
  return { ...structure, fixings: { ...structure.fixings, ...Object.fromEntries(fixings) } };
}

function followedIndices({ tranches, accounts = [] }: Structure): string[] {
  const followed = [
    ...tranches.flatMap(({ coupon }) => (coupon?.type === 'FLOATING' ? [coupon.index] : [])),
    ...accounts.flatMap(({ earns }) => earns?.index ?? []),
  ];
  return [...new Set(followed)];
}
