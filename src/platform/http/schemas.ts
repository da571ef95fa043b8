import Type, { type Static, type TObject, type TSchema, type TUnsafe } from 'typebox';
import type { Page, Position } from '../pages.ts';
import type { Id } from '../ids.ts';
import { ApiError } from './errors.ts';
import { ID_KIND } from './expectations.ts';
import { named } from './named.ts';
import { VISIBLE } from './shown.ts';

/** Largest amount: below 2^53 cents, so that a JSON number holds it exactly. */
export const MAX_AMOUNT = 90_071_992_547_409.91;

export const oneOf = <const Values extends readonly string[]>(values: Values, description?: string) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...(description ? { description } : {}) });

export const amount = (description: string) =>
  Type.Number({
    exclusiveMinimum: 0,
    maximum: MAX_AMOUNT,
    format: 'money',
    description: `${description} In currency units, at most 2 decimals.`,
  });

export const money = (description: string) => Type.Number({ description: `${description} In currency units, 2 decimals.` });

/** An instant of a response: a Date of the database, or text. */
export const timestamp = (description = 'Instant, ISO 8601 UTC with milliseconds.') =>
  Type.Unsafe<Date | string>({ type: 'string', format: 'date-time', description });
export const date = (description = 'Calendar date, YYYY-MM-DD.') => Type.String({ format: 'date', description });
export const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, format: 'plain-text', ...(description ? { description } : {}) });
export const id = <const Kind extends string>(kind: Kind, description = `Identifier, \`${kind}_…\`.`) =>
  Type.Unsafe<Id<Kind>>({ type: 'string', maxLength: 128, description, [ID_KIND]: kind });

/** The schema or null. Plain types become a list of types, so that the compiled serialiser need not try alternatives. */
export const nullable = <Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> => {
  const { type, enum: values, ...rest } = schema as unknown as { type?: string; enum?: unknown[] };
  if (typeof type !== 'string' || type === 'object' || type === 'array')
    return Type.Unsafe<Static<Schema> | null>(Type.Union([schema, Type.Null()]));
  return Type.Unsafe<Static<Schema> | null>({ ...rest, type: [type, 'null'], ...(values ? { enum: [...values, null] } : {}) });
};

/** Path parameters of one id, keyed by its name in the path. */
export const pathId = <const Name extends string, const Kind extends string>(
  name: Name,
  kind: Kind,
): TObject<Record<Name, TUnsafe<Id<Kind>>>> => Type.Object({ [name]: id(kind) } as Record<Name, TUnsafe<Id<Kind>>>);

export const Paging = {
  page: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1, description: 'Page number, from 1.' }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Records per page.' }),
  /** Text on the wire; handlers get the position that it stands for. */
  cursor: Type.Optional(
    Type.Unsafe<Position>({
      type: 'string',
      minLength: 1,
      maxLength: 8_192,
      description: 'A `next_cursor` of this list with the same filters: the records behind it. In the place of `page`.',
    }),
  ),
};

const BOUND = 'date-or-instant';

/** Bounds of a time: text on the wire; handlers get instants, `to` as one that is excluded. */
export const timesBetween = (what: string) => ({
  from: Type.Optional(
    Type.Unsafe<Date>({
      type: 'string',
      format: BOUND,
      description: `${what} at or after: a date or an instant, ISO 8601.`,
    }),
  ),
  to: Type.Optional(
    Type.Unsafe<Date>({
      type: 'string',
      format: BOUND,
      description: `${what} at or before; a date includes that whole day.`,
    }),
  ),
});
export const CreatedBetween = timesBetween('Created');

/** Query of a list: page and limit beside the list's own filters. */
export const pageQuery = <Filters extends Record<string, TSchema>>(filters: Filters): TObject<Filters & typeof Paging> =>
  Type.Object({ ...filters, ...Paging });

/** Paging of long lists of small rows, such as loans. */
export const LongPaging = {
  page: Paging.page,
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 20, description: 'Records per page.' }),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Records that are left out. In the place of `page`.' }),
  ),
  cursor: Paging.cursor,
};

const nextCursor = nullable(
  Type.String({ description: 'Sent as `cursor` it gives the records behind this page; null where none follow.' }),
);
const Totals = {
  page: nullable(Type.Integer({ description: 'Null with a cursor or an offset.' })),
  limit: Type.Integer(),
  total: nullable(Type.Integer({ description: 'Null with a cursor, which costs the same at any depth.' })),
  totalPages: nullable(Type.Integer({ description: 'Null with a cursor.' })),
};

export const PaginationSchema = named('Pagination', {
  ...Totals,
  hasNextPage: Type.Boolean(),
  hasPrevPage: Type.Boolean({ description: 'True with a cursor: the record that it was made from comes before it.' }),
  next_cursor: nextCursor,
});

export const MetaSchema = named('Meta', { ...Totals, next_cursor: nextCursor });

/** The `pagination` of a page; behind a cursor the page has no number and the list is not counted. */
export function pagination(
  { page, limit, offset }: { page: number; limit: number; offset?: number },
  { total }: Page<unknown>,
  next: string | null,
) {
  if (total === null)
    return { page: null, limit, total, totalPages: null, hasNextPage: next !== null, hasPrevPage: true, next_cursor: next };
  const totalPages = Math.ceil(total / limit);
  if (offset !== undefined) {
    const around = { hasNextPage: next !== null, hasPrevPage: offset > 0 && total > 0 };
    return { page: null, limit, total, totalPages, ...around, next_cursor: next };
  }
  const has = { hasNextPage: page < totalPages, hasPrevPage: page > 1 && totalPages > 0 };
  return { page, limit, total, totalPages, ...has, next_cursor: next };
}

const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;

export type Bounds = { from?: string; to?: string };

/** Bounds of a time as instants, `to` exclusive. */
export function createdBetween(query: Bounds): { from?: Date; to?: Date } {
  const from = query.from ? new Date(query.from) : null;
  const to = query.to ? new Date(DATE_ONLY.test(query.to) ? Date.parse(query.to) + 86_400_000 : Date.parse(query.to) + 1) : null;
  return { ...(from && { from }), ...(to && { to }) };
}

/** The refusal of bounds that a request gives the wrong way round. */
const reversed = (from = '', to = ''): ApiError =>
  new ApiError('RANGE_REVERSED', `from is after to: ${from} is after ${to}; exchange them.`);

/** 422 RANGE_REVERSED for dates that are the wrong way round. */
export function refuseReversedDates({ from, to }: { from?: string | undefined; to?: string | undefined }): void {
  if (from && to && from > to) throw reversed(from, to);
}

/** 422 RANGE_REVERSED for bounds of a time that are the wrong way round. */
export function refuseReversed(query: Bounds): void {
  const { from, to } = createdBetween(query);
  if (from && to && from >= to) throw reversed(query.from, query.to);
}

/** Whether a route takes the bounds of a time. */
export function hasBounds(query: TObject | undefined): boolean {
  const { from = {} } = query?.properties ?? {};
  return 'format' in from && from.format === BOUND;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** The first and the last year that the database and a date of four digits both have: there is no year 0. */
const YEARS = { first: Date.parse('0001-01-01T00:00:00Z'), end: Date.parse('9999-12-31T23:59:59.999Z') };
const isInYears = (time: number): boolean => time >= YEARS.first && time <= YEARS.end;

function isDate(value: string): boolean {
  if (!DATE_ONLY.test(value)) return false;
  const parsed = new Date(`${value}T00:00:00Z`);
  return isInYears(parsed.getTime()) && parsed.toISOString().startsWith(value);
}

/** Its time zone may put the instant into another year than its date. */
const isInstant = (value: string): boolean => INSTANT.test(value) && isDate(value.slice(0, 10)) && isInYears(Date.parse(value));

/** Formats of the wire schemas: those beyond JSON Schema's own, and its dates within the years that the database has. */
export const FORMATS = {
  date: isDate,
  'date-time': isInstant,
  'date-or-instant': (value: string) => isDate(value) || isInstant(value),
  // One line of text typed by a person: no control characters, no bidirectional overrides, and not of blanks alone.
  'plain-text': (value: string) =>
    (value === '' || VISIBLE.test(value)) &&
    !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/.test(value) &&
    value.isWellFormed(),
  money: { type: 'number', validate: (value: number) => Number.isFinite(value) && hasTwoDecimals(value) },
} as const;

function hasTwoDecimals(value: number): boolean {
  const [, fraction = ''] = String(value).split('.');
  return !String(value).includes('e') && fraction.length <= 2;
}

/** The body of an operator's act that needs no reason. */
export const Reason = named('Reason', { reason: Type.Optional(text(1_000, 'Reason, kept in the audit log.')) });
