import type { LoanType, MappingRequest } from '../types.ts';
import type { openRoom } from './take-tape.ts';

type Room = Awaited<ReturnType<typeof openRoom>>;

/** Takes a tape of one interesting column beside an amount; returns the field's values as text, row by row. */
export async function readColumn(
  room: Room,
  loanType: LoanType,
  header: string,
  field: string,
  values: readonly string[],
  overrides: readonly MappingRequest[] = [],
) {
  const amount = loanType === 'Credit Card' ? 'Credit Limit' : 'Original Balance';
  const quoted = values.map((value, index) => `"L${index}","100${index}","${value.replaceAll('"', '""')}"`);
  const id = loanType === 'Credit Card' ? 'account_id' : 'loan_id';
  const tape = await room.take({ loanType, csv: `${id},${amount},${header}\n${quoted.join('\n')}\n`, overrides });
  const rows = await tape.loans(`CAST(${field} AS VARCHAR) AS value`);
  return { tape, values: rows.map((row) => row.value as string | null) };
}
