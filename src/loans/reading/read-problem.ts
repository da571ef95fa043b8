import type { ProblemCode, ReadProblem } from './raw-table.ts';

/** Aborts a reading because the file is not a tape; `asOutcome` converts it into a value. */
export class TapeProblem extends Error {
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs a reading and returns a TapeProblem as a value; any other error is a defect and is rethrown. */
export async function asOutcome<Success extends { ok: true }>(
  reading: () => Promise<Success>,
): Promise<Success | { ok: false; problem: ReadProblem }> {
  try {
    return await reading();
  } catch (error) {
    if (error instanceof TapeProblem) return { ok: false, problem: { code: error.code, message: error.message } };
    throw error;
  }
}

/** The workbook is damaged or cannot be trusted. */
export function damagedWorkbook(what: string): TapeProblem {
  return new TapeProblem(
    'UNREADABLE_FILE',
    `The workbook cannot be read: ${what}. Save it again from the spreadsheet program as .xlsx and upload it.`,
  );
}

/** The workbook exceeds a limit. */
export function workbookTooLarge(what: string): TapeProblem {
  return new TapeProblem('TOO_LARGE', `The workbook is refused: ${what}. Send the loans alone, as CSV or on one plain sheet.`);
}
