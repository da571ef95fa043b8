import { TapeProblem } from '../read-problem.ts';

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
