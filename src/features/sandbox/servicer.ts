import { CSV } from '../../platform/files/content-types.ts';
import type { Id } from '../../platform/ids.ts';
import { isResidual, type Structure } from '../../finance/structure/structure.ts';
import { type SandboxMember, SandboxStepFailed, type UploadAddress } from './client.ts';
import { until } from './wait.ts';

type Pool = { pool_id: Id<'pool'>; structure: Structure };

/** Sends the tape of a period and waits until it has been read. */
export async function sendPoolTape(
  servicer: SandboxMember,
  poolId: Id<'pool'>,
  period: number,
  csv: string | Buffer,
): Promise<void> {
  const tapes = `/v1/api/originator/pools/${poolId}/tapes`;
  const fileName = `servicer-${period}.csv`;
  await servicer.put(await servicer.call<UploadAddress>('POST', tapes, { period, fileName, fileFormat: CSV }), csv);
  await servicer.call('POST', `${tapes}/${period}/complete`, { fileName });
  const state = async () => (await servicer.call<{ state: string }>('GET', `${tapes}/${period}`)).state;
  await until(async () => (await state()) !== 'RUNNING', `the tape of period ${period}`);
}

/** A report without its tranches; amounts in currency units. */
export type ReportedCash = {
  period: number;
  payment_date: string;
  collateral: Record<
    'opening' | 'scheduled_principal' | 'prepayment' | 'default' | 'recovery' | 'closing' | 'interest' | 'loan_count',
    number
  > &
    Partial<Record<'delinquent_30_amount' | 'delinquent_60_amount' | 'delinquent_90_amount', number>>;
  available: Record<'interest' | 'principal' | 'recoveries', number>;
};

export type ReportedTranche = Record<'opening' | 'interest_paid' | 'principal' | 'closing', number> &
  Partial<Record<'accreted' | 'write_down', number>> & { tranche: string };
export type PeriodReport = ReportedCash & { tranches: ReportedTranche[]; rates?: { NET_WAC: number } };

/** What was before a period: the balances of the tranches, and the rate of the loans in percent a year. */
type Before = { openings: ReadonlyMap<string, number>; wac: number };
type Verified = { lines: { path: string; expected: number | null }[]; missing: string[] };

/** The report of a period: its tranches as the waterfall pays them from that cash. */
export async function draftReport(
  servicer: SandboxMember,
  { pool_id, structure }: Pool,
  cash: ReportedCash,
  { openings, wac }: Before,
): Promise<PeriodReport> {
  const notes = structure.tranches.filter((each) => !isResidual(structure, each)).map(({ tranche }) => tranche);
  const tranches = notes.map((tranche) => {
    const opening = openings.get(tranche) ?? 0;
    return { tranche, opening, interest_paid: 0, principal: 0, accreted: 0, write_down: 0, closing: opening };
  });
  const verify = async (figures: object): Promise<Verified> => {
    const path = `/v1/api/originator/pools/${pool_id}/remittances/verify`;
    const body = { ...cash, tranches, ...figures };
    return (await servicer.call<{ verification: Verified }>('POST', path, body)).verification;
  };
  const expected = ({ lines, missing }: Verified, path: string): number => {
    const found = lines.find((each) => each.path === path)?.expected ?? null;
    if (found === null) throw new SandboxStepFailed(`the waterfall does not say ${path}; the report lacks ${missing.join(', ')}`);
    return found;
  };
  const first = await verify({});
  const isNet = first.missing.includes('rates.NET_WAC');
  const rates = isNet ? { rates: { NET_WAC: netRate(await feesDue(), cash.collateral.opening) } } : {};
  const verified = isNet ? await verify(rates) : first;
  return {
    ...cash,
    ...rates,
    tranches: tranches.map(({ tranche, opening }, place) => {
      const of = (figure: string): number => expected(verified, `tranches[${place}].${figure}`);
      const [accreted, write_down] = [of('accreted'), of('write_down')];
      return {
        tranche,
        opening,
        interest_paid: of('interest_paid'),
        principal: of('principal_paid'),
        ...(accreted === 0 ? {} : { accreted }),
        ...(write_down === 0 ? {} : { write_down }),
        closing: of('ending_balance'),
      };
    }),
  };

  /** The fees that fall due, which do not depend on the rate that the loans are said to have. */
  async function feesDue(): Promise<number> {
    const fees = (structure.fees ?? []).filter(({ billed, one_off }) => !billed && one_off === undefined);
    const asked = { rates: { NET_WAC: wac }, fees: fees.map(({ fee }) => ({ fee, due: 0, paid: 0 })) };
    const answer = await verify(asked);
    return fees.reduce((sum, _, place) => sum + expected(answer, `fees[${place}].due`), 0);
  }

  function netRate(fees: number, opening: number): number {
    return Math.max(0, Math.round((wac - (1_200 * fees) / opening) * 1e6) / 1e6);
  }
}
