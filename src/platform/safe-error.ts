import { firstError, unavailableReason } from './unavailable.ts';

/** What may be kept of an error: in the log, and in the database with a job that failed. */
export type SafeError = {
  /** Why it is temporary. */
  reason?: string | undefined;
  name: string;
  code?: string | undefined;
  /** Not there where it may quote what was read. */
  message?: string | undefined;
  constraint?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
  stack?: string[] | undefined;
  cause?: SafeError | undefined;
  errors?: SafeError[] | undefined;
};

type Thrown = Partial<Record<'name' | 'code' | 'message' | 'constraint' | 'table' | 'column' | 'stack' | 'cause', unknown>>;

const FRAMES = 8;
const MOST_CAUSES = 3;
const MOST_ERRORS = 5;
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
const FRAME = /^\s+at /;

/**
 * The kind of a failure and where it was thrown. Errors of the database quote values of rows ("invalid input syntax for type date: …", and more in
 * their details), and those of a parser the text that it read: borrowers' data must not get into a log.
 */
export function safeError(thrown: unknown, depth = 0): SafeError {
  const first = firstError(thrown);
  const error = asThrown(first);
  const code = textOf(error.code);
  const isOfDatabase = code !== undefined && SQLSTATE.test(code);
  return {
    reason: unavailableReason(first) ?? undefined,
    name: textOf(error.name) ?? typeof thrown,
    code,
    message: isOfDatabase || first instanceof AggregateError || error.name === 'SyntaxError' ? undefined : textOf(error.message),
    ...(isOfDatabase ? { constraint: textOf(error.constraint), table: textOf(error.table), column: textOf(error.column) } : {}),
    stack: framesOf(textOf(error.stack)),
    cause: error.cause !== undefined && depth < MOST_CAUSES ? safeError(error.cause, depth + 1) : undefined,
    errors:
      first instanceof AggregateError && depth < MOST_CAUSES
        ? first.errors.slice(0, MOST_ERRORS).map((each) => safeError(each, depth + 1))
        : undefined,
  };
}

/** The error as another one that says no more than `safeError`. */
export function withoutValues(thrown: unknown): Error {
  const { name, message, code, reason, stack = [] } = safeError(thrown);
  const safe = new Error(message ?? reason ?? code ?? name);
  safe.name = name;
  safe.stack = [`${name}: ${safe.message}`, ...stack].join('\n');
  return code === undefined ? safe : Object.assign(safe, { code });
}

/** Frames alone: a stack begins with the message, which may have several lines. */
function framesOf(stack: string | undefined): string[] | undefined {
  return stack
    ?.split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, FRAMES);
}

const asThrown = (thrown: unknown): Thrown => (typeof thrown === 'object' && thrown !== null ? thrown : {});

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
