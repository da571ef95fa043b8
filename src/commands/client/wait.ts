import type { Operation } from './catalogue/operation.ts';
import type { Call, Connection } from './connection.ts';
import { EXIT } from './failure.ts';
import { isRecord } from './output/record.ts';

/** What is read until it is finished after an operation that only starts work. */
const FINISHED_BY = new Map([
  ['runCriteria', '/v1/api/originator/sc/jobs/{scJobId}'],
  ['requestCalculation', '/v1/api/originator/analytics/pools/{poolId}/calculations/{calculationId}'],
  ['requestMarketDealCalculation', '/v1/api/investor/deals/{dealId}/calculations/{calculationId}'],
  ['requestPortfolioScenarios', '/v1/api/investor/portfolio/scenarios/{calculationId}'],
  ['completeTapeUpload', '/v1/api/originator/loans/{dealId}'],
  ['recheckTape', '/v1/api/originator/loans/{dealId}'],
  ['confirmTapeVersion', '/v1/api/originator/loans/{dealId}'],
  ['setTapeMapping', '/v1/api/originator/loans/{dealId}'],
  ['submitLoanDeals', '/v1/api/originator/loans/bulk/{jobId}'],
  ['completeMonthlyTapeUpload', '/v1/api/originator/pools/{poolId}/tapes/{period}'],
  ['confirmMonthlyTape', '/v1/api/originator/pools/{poolId}/tapes/{period}'],
  ['setMonthlyTapeMapping', '/v1/api/originator/pools/{poolId}/tapes/{period}'],
]);

export const canWait = ({ id }: Operation): boolean => FINISHED_BY.has(id);

/** Reads the record that the operation has started until it is finished. */
export async function finished(connection: Connection, { id }: Operation, call: Call, started: unknown): Promise<unknown> {
  const path = FINISHED_BY.get(id) ?? '';
  const known: Record<string, unknown> = {
    ...(isRecord(started) ? started : {}),
    ...(isRecord(call.body) ? call.body : {}),
    ...call.path,
  };
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const parameters = Object.fromEntries(names.map((name) => [name, known[name] ?? known[snake(name)]]));
  return await connection.waitFor(path, { path: parameters }, () => {});
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A record that has FAILED fails the command. */
export function exitCodeFor(record: unknown): number {
  if (!isRecord(record)) return EXIT.ok;
  const state = isRecord(record.qc) ? record.qc.state : (record.state ?? record.status);
  return state === 'FAILED' ? EXIT.failure : EXIT.ok;
}
