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
  >;
  available: Record<'interest' | 'principal' | 'recoveries', number>;
};

export type ReportedTranche = Record<'opening' | 'interest_paid' | 'principal' | 'closing', number> &
  Partial<Record<'accreted' | 'write_down', number>> & { tranche: string };
export type PeriodReport = ReportedCash & { tranches: ReportedTranche[] };

type Line = { path: string; expected: number | null };

/** The report of a period: its tranches as the waterfall pays them from that cash. `openings` are the balances of tranches before it. */
export async function draftReport(
  servicer: SandboxMember,
  { pool_id, structure }: Pool,
  cash: ReportedCash,
  openings: ReadonlyMap<string, number>,
): Promise<PeriodReport> {
  const notes = structure.tranches.filter((each) => !isResidual(structure, each)).map(({ tranche }) => tranche);
  const openingOf = (tranche: string): number => openings.get(tranche) ?? 0;
  const asked = notes.map((tranche) => {
    const opening = openingOf(tranche);
    return { tranche, opening, interest_paid: 0, principal: 0, accreted: 0, write_down: 0, closing: opening };
  });
  const path = `/v1/api/originator/pools/${pool_id}/remittances/verify`;
  const { verification } = await servicer.call<{ verification: { lines: Line[] } }>('POST', path, { ...cash, tranches: asked });
  const expected = (place: number, figure: string): number => {
    const line = verification.lines.find((each) => each.path === `tranches[${place}].${figure}`);
    if (line?.expected === null || line?.expected === undefined)
      throw new SandboxStepFailed(`the waterfall does not say the ${figure} of ${notes[place]}`);
    return line.expected;
  };
  const tranches = notes.map((tranche, place) => {
    const [accreted, write_down] = [expected(place, 'accreted'), expected(place, 'write_down')];
    return {
      tranche,
      opening: openingOf(tranche),
      interest_paid: expected(place, 'interest_paid'),
      principal: expected(place, 'principal_paid'),
      ...(accreted === 0 ? {} : { accreted }),
      ...(write_down === 0 ? {} : { write_down }),
      closing: expected(place, 'ending_balance'),
    };
  });
  return { ...cash, tranches };
}
