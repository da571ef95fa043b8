import type { ProblemCode, ReadProblem } from './raw-table.ts';

/** Ends a reading: the file is no tape; caught at the room's door and handed out as a value. */
export class TapeProblem extends Error {
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs a reading; a TapeProblem becomes a value, everything else is a defect and goes on. */
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

/** The workbook cannot be trusted or read: what is wrong, and what to do. */
export function damaged(what: string): TapeProblem {
  return new TapeProblem(
    'UNREADABLE_FILE',
    `The workbook cannot be read: ${what}. Save it again from the spreadsheet program as .xlsx and upload it.`,
  );
}

/** The workbook would take more than a tape may. */
export function tooLarge(what: string): TapeProblem {
  return new TapeProblem('TOO_LARGE', `The workbook is refused: ${what}. Send the loans alone, as CSV or on one plain sheet.`);
}
