import type { ErrorDetails, ProblemDetails } from './error-details.ts';
import { MOST_PROBLEMS } from './most-problems.ts';

/** Every error code of the API: its status and a sentence that says what to do. The message may be more specific. */
export const ERRORS = {
  VALIDATION_FAILED: [400, 'A field is missing or invalid: see errors.'],
  UNKNOWN_PARAMETER: [400, 'The path has no such query parameter.'],
  MALFORMED_JSON: [400, 'The body is not valid JSON.'],
  FILE_NAME_MISMATCH: [400, 'The file name is not the one that was given when the upload was initiated.'],
  BAD_REQUEST: [400, 'The request cannot be understood.'],
  UNKNOWN_VERSION: [400, 'The API has no version of the date in Sluice-Version.'],
  KEY_MISSING: [401, 'An API key is required: Authorization: Bearer <API_KEY>.'],
  KEY_MALFORMED: [
    401,
    'The Authorization header holds no API key: it has to be Bearer, a space and the key, which is three parts separated by dots.',
  ],
  KEY_UNKNOWN: [401, 'This platform has issued no such API key.'],
  KEY_EXPIRED: [401, 'The API key has expired: ask the operator for a new one.'],
  KEY_REVOKED: [401, 'The API key was revoked: ask the operator for a new one.'],
  KEY_WRONG_ENVIRONMENT: [401, 'The API key is for another environment than this one.'],
  ORGANIZATION_SUSPENDED: [401, 'The organization of the API key is suspended: ask the operator.'],
  UNAUTHORIZED: [401, 'The API key is missing or refused.'],
  SESSION_EXPIRED: [401, 'You are not signed in any more: sign in again.'],
  SIGN_IN_REFUSED: [403, 'The sign-in was not accepted: sign in again.'],
  NOT_A_MEMBER: [403, 'You are not a member of any organization: ask an ADMIN of yours to add you.'],
  ROLE_FORBIDDEN: [403, 'The key is valid, but its role may not use this endpoint.'],
  SCOPE_FORBIDDEN: [403, 'The key is narrowed to scopes that do not include this endpoint.'],
  NETWORK_FORBIDDEN: [403, 'The key is narrowed to networks that the request does not come from.'],
  RIGHT_REQUIRED: [403, 'A member of the organization needs another right for this endpoint.'],
  CSRF_FAILED: [403, 'A signed-in browser sends X-Sluice-CSRF with every request that changes something.'],
  ORGANIZATION_REQUIRED: [403, 'You are a member of several organizations: choose one with POST /auth/organization.'],
  OWN_ORGANIZATION: [403, 'An operator cannot decide on a record of its own organization.'],
  SAME_PERSON: [403, 'Another person has to decide: not the one who asked for the act, and nobody twice.'],
  ORIGIN_FORBIDDEN: [403, 'A web page of another origin may not send this request.'],
  SIGNATURE_INVALID: [403, 'The signed address is not valid or has expired: request a new one.'],
  NOT_FOUND: [404, 'There is no such resource.'],
  REQUEST_LOG_OFF: [404, 'This platform keeps no log of requests (SLUICE_REQUEST_LOG=off): ask its operator.'],
  METHOD_NOT_ALLOWED: [405, 'The path exists, but not with this method: see Allow.'],
  REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
  CONFLICT: [409, 'The request conflicts with the present state.'],
  ROLE_CONFLICT: [409, 'An organization holds operator keys or customer keys, never both.'],
  NAME_TAKEN: [409, 'An organization of that name, or of one that looks like it, exists.'],
  DRAFT_EXISTS: [409, 'A DRAFT deal of this loan type exists: complete, refresh or delete it first.'],
  INVALID_TRANSITION: [409, 'The record cannot make this move from its present status.'],
  ALREADY_COMPLETED: [
    409,
    'The upload has been completed already: for another file open another upload (for a tape, POST …/loans/{dealId}/tapes).',
  ],
  UPLOAD_IN_PROGRESS: [409, 'Another PUT is sending bytes to this address: try again after Retry-After seconds.'],
  UPLOADS_PENDING: [409, 'Too many uploads are unfinished: complete some, or wait until their addresses expire.'],
  WAIVER_PENDING: [409, 'A waiver of this rule waits for some of these loans: see waiver_id and loan_ids.'],
  RUN_IN_PROGRESS: [409, 'A run of these criteria on this deal is in progress.'],
  LOAN_ALREADY_POOLED: [409, 'A loan is in another live pool.'],
  PLEDGE_CONFLICT: [409, 'Loans of this pool are pledged elsewhere too: see conflict_ids.'],
  IOI_EXISTS: [409, 'A live indication of interest exists for this deal.'],
  BOOKS_CLOSED: [
    409,
    'The books of this deal are not open: indications, subscriptions and orders are taken while its market_status is MARKETING.',
  ],
  ALLOCATIONS_OPEN: [409, 'Allocations of the deal wait to be accepted or declined, or to settle: see allocations.'],
  NOT_REPLAYABLE: [409, 'Only a FAILED delivery can be replayed.'],
  RECOVERY_IN_PROGRESS: [409, 'Another recovery of this webhook subscription is in progress: try again when it has ended.'],
  IN_USE: [409, 'Other organizations hold records of these deals: see deal_ids.'],
  IDEMPOTENCY_IN_PROGRESS: [409, 'The first request with this Idempotency-Key is still running.'],
  PERSONAL_DATA_DESTROYED: [410, 'The key of the file was destroyed with the personal data in it: nobody can open it any more.'],
  STALE: [412, 'The record is no longer in the version of If-Match: read it, and send the change with its new ETag.'],
  PAYLOAD_TOO_LARGE: [413, 'The body or file is larger than allowed.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send the body as application/json.'],
  UNPROCESSABLE: [422, 'The request is well-formed but cannot be carried out.'],
  RANGE_REVERSED: [422, 'from is after to.'],
  FILE_NOT_UPLOADED: [
    422,
    'Nothing has been uploaded yet: send the bytes of the file with PUT to upload_url, with its upload_headers, then complete again.',
  ],
  EMPTY_FILE: [422, 'The uploaded file has 0 bytes: send it again with PUT (with curl, -T FILE or --data-binary @FILE).'],
  UNREADABLE_FILE: [422, 'The uploaded file cannot be read.'],
  NO_LOAN_ROWS: [422, 'The uploaded file has no loan rows.'],
  TYPE_MISMATCH: [422, 'The content does not match the file name extension.'],
  BULK_EMPTY: [422, 'A bulk submission needs at least one deal.'],
  MAPPING_INVALID: [422, 'The mapping cannot be applied.'],
  SEALED_FIELD: [422, 'The column is sealed as personal data: see errors.'],
  UNKNOWN_FIELD: [422, 'A field of the body is not known, or a rule names one that is not in the dictionary: see errors.'],
  FIELD_NOT_DISCLOSED: [422, 'The request names a field of loans that is not disclosed: see errors.'],
  INVALID_RULE: [422, 'A rule is not valid.'],
  RULE_TOO_LARGE: [422, 'The rules compare with too many values.'],
  TOO_EXPENSIVE: [422, 'The work is too large for one request: submit it as a job.'],
  PROHIBITED_FIELD: [422, 'A rule tests an attribute that lenders may not select on.'],
  LOAN_TYPE_MISMATCH: [422, 'The loan types do not match.'],
  UNKNOWN_LOAN: [422, 'The exception file does not hold a loan that the request names.'],
  RULE_NOT_WAIVABLE: [422, 'The rule cannot be waived.'],
  TRANCHES_EXCEED_POOL: [422, 'The tranches are larger than the pool.'],
  WATERFALL_INVALID: [422, 'The structure is not valid.'],
  ASSUMPTIONS_INVALID: [422, 'The assumptions cannot be used.'],
  CURVE_MISSING: [422, 'A floating tranche needs its index curve.'],
  REMITTANCE_HELD: [409, 'An earlier servicer report waits to be accepted.'],
  REMITTANCE_DOES_NOT_TIE: [422, 'The servicer report does not tie.'],
  MARK_REQUIRED: [422, 'A tranche with bids has no published mark: see tranches.'],
  FIXING_MISSING: [
    422,
    'The coupon of a tranche in its accrual is not known yet: its index has no fixing, or no report says what limits it.',
  ],
  COMPLIANCE_FAILED: [422, 'A compliance check failed: see errors.'],
  URL_NOT_ALLOWED: [422, 'The address of the receiver is not allowed here.'],
  SUBSCRIPTION_LIMIT: [422, 'The organization already has the largest allowed number of webhook subscriptions.'],
  IDEMPOTENCY_KEY_REUSED: [
    422,
    'This Idempotency-Key was used for another request in the last 24 hours: send a new key, or exactly the same body to repeat that request.',
  ],
  COMPUTE_BUSY: [429, 'Other work is running: try again after Retry-After seconds.'],
  RATE_LIMITED: [429, 'Too many requests: wait for Retry-After seconds.'],
  QUEUE_FULL: [429, 'The organization has too many jobs in the queue: try again when some have started.'],
  HEADERS_TOO_LARGE: [431, 'The request line or headers are too large.'],
  INTERNAL: [500, 'Something went wrong on our side. Quote the request id to the operator.'],
  OVERLOADED: [503, 'The process has more requests than it can serve in time: try again after Retry-After seconds.'],
  UNAVAILABLE: [503, 'A part of the platform does not respond: try again after Retry-After seconds.'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof ERRORS;

/** Why a credential is refused. */
export const KEY_REFUSALS = [
  'KEY_MISSING',
  'KEY_MALFORMED',
  'KEY_UNKNOWN',
  'KEY_EXPIRED',
  'KEY_REVOKED',
  'KEY_WRONG_ENVIRONMENT',
  'ORGANIZATION_SUSPENDED',
] as const satisfies readonly ErrorCode[];
export type KeyRefusal = (typeof KEY_REFUSALS)[number];

export type FieldProblem = { field: string | null; code: string; message: string } & ProblemDetails;

/** A failure with a response of its own. Any other error is a defect and becomes a 500 without internal text. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly statusCode: number;
  readonly errors: FieldProblem[] | undefined;
  readonly extra: ErrorDetails;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message?: string,
    more: { errors?: FieldProblem[]; extra?: ErrorDetails; headers?: Record<string, string> } = {},
  ) {
    super(withMore(message ?? defaultMessage(code, more.errors), more.errors));
    this.code = code;
    this.statusCode = ERRORS[code][0];
    this.errors = more.errors?.slice(0, MOST_PROBLEMS);
    this.extra = more.extra ?? {};
    this.headers = more.headers ?? {};
  }
}

/** The sentence of the catalogue; in the place of `see errors` the first problem, so that the message alone says what to do. */
function defaultMessage(code: ErrorCode, errors: readonly FieldProblem[] = []): string {
  const [first, ...more] = errors;
  const message = ERRORS[code][1];
  if (!first || !message.endsWith(SEE_ERRORS)) return message;
  const others = [...new Set(more.flatMap(({ field }) => (field === null || field === first.field ? [] : [field])))];
  const beside =
    others.length === 0 ? '' : ` Also: ${others.slice(0, 5).join(', ')}${others.length > 5 ? ' and more' : ''}, see errors.`;
  return `${message.slice(0, -SEE_ERRORS.length)}: ${first.field === null ? '' : `${first.field}: `}${ended(first.message)}${beside}`;
}

const SEE_ERRORS = ': see errors.';
const withMore = (message: string, errors: readonly FieldProblem[] = []): string =>
  errors.length < MOST_PROBLEMS ? message : `${ended(message)} These are the first ${MOST_PROBLEMS} problems; there may be more.`;
const ended = (sentence: string): string => (/[.?!]$/.test(sentence) ? sentence : `${sentence}.`);

/**
 * The error envelope: the specification's three fields, a stable code, the request id, where the code is explained, and the extra fields of
 * the error. `page` is the page of the codes, null where it is not served.
 */
export function envelope(error: ApiError, requestId: string, page: string | null): Record<string, unknown> {
  return {
    success: false,
    message: error.message,
    statusCode: error.statusCode,
    code: error.code,
    request_id: requestId,
    ...(page === null ? {} : { doc_url: `${page}#${error.code}` }),
    ...(error.errors ? { errors: error.errors } : {}),
    ...error.extra,
  };
}

export const notFound = (what: string): ApiError => new ApiError('NOT_FOUND', `There is no such ${what}.`);

export const invalidField = (field: string, code: string, message: string): ApiError =>
  new ApiError('VALIDATION_FAILED', undefined, { errors: [{ field, code, message }] });

/** Returns the record, or throws 404 when the look-up found none that the caller may see. */
export function orNotFound<Found>(found: Found | null, what: string): Found {
  if (found === null) throw notFound(what);
  return found;
}

export const invalidTransition = (what: string, current: string, allowed: readonly string[]): ApiError =>
  new ApiError(
    'INVALID_TRANSITION',
    allowed.length > 0
      ? `The ${what} is ${current}; from there it can only become ${allowed.join(', ')}.`
      : `The ${what} is ${current}, which is final.`,
    {
      extra: { current_status: current, allowed },
    },
  );
