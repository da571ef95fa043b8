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
