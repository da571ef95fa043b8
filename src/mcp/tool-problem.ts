/** A tool call that is refused before any request of the API is sent. */
export class ToolProblem extends Error {
  readonly code: string;
  /** The argument that is wrong. */
  readonly field: string | null;

  constructor(code: string, message: string, field: string | null = null) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

export const invalidArgument = (field: string, message: string): ToolProblem =>
  new ToolProblem('INVALID_ARGUMENT', `${field}: ${message}`, field);
