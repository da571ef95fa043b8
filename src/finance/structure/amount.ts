import Type, { type TSchema } from 'typebox';

/*
 * Amounts of the deal language: whatever stands where a number could. Money is in currency units, percentages are percent. The schema gives
 * the fields of every form; `findAmountFaults` checks that an amount is one of them, at any depth.
 */

/** Largest amount, below 2^53 cents. */
export const MAX_AMOUNT = 90_071_992_547_409.91;
/** Longest deal, months. */
export const MAX_PERIODS = 1200;
/** Lists and conditions within each other, and amounts within each other in any way. */
export const MAX_DEPTH = 4;
export const MAX_NESTING = 12;

const NAMED_BASES = [
  'POOL_ORIGINAL',
  'POOL_BEGINNING',
  'POOL_CURRENT',
  'NOTES_ORIGINAL',
  'NOTES',
  'POOL_ADJUSTED',
  'POOL_ADJUSTED_ORIGINAL',
  'COLLECTIONS',
  'SCHEDULED',
  'PREPAID',
  'LIQUIDATED',
  'RECOVERED',
  'LOSS',
  'WRITTEN_DOWN',
  'ACCRETED',
  'ACCRUED_TO_CAPITALISE',
  'INTEREST_DUE',
  'FEES_DUE',
  'DELINQUENT_30',
  'DELINQUENT_60',
  'DELINQUENT_90',
] as const;
export type NamedBase = (typeof NAMED_BASES)[number];
/**
 * The base of a percentage. Pool: performing balance at the cut-off, before or after the period's collateral, or adjusted; notes: balance
 * of the tranches that are neither residual nor notional, at closing or now; the others are of the period.
 */
export type Base = NamedBase | `ACCOUNT:${string}`;
export const BASES: readonly NamedBase[] = NAMED_BASES;

/** A percentage of a balance, at least `floor`. */
export type Share = {
  percent: Amount;
  of: Base;
  /** Narrows NOTES and NOTES_ORIGINAL, WRITTEN_DOWN, ACCRETED and INTEREST_DUE to these tranches. */
  of_tranches?: string[];
  floor?: Amount;
};
/** A value from a payment period or date on, until the next one. */
export type SchedulePoint = { from_period?: number; from_date?: string; value: number };
/** The share of named tranches in the pool, s, plus (100 − s) × shift / 100, percent: the senior share of a shifting-interest deal. */
export type SeniorShare = { share_of: string[]; shift: Amount };
/** Principal that brings the notes to a size of the pool (OC) or of a balance (NOTES). */
export type TargetAmount = {
  target: 'OC' | 'NOTES';
  percent?: Amount;
  of?: Base;
  floor?: Amount;
  /** The size, in place of `percent` and `of`. */
  amount?: Amount;
  of_tranches?: string[];
};
/** Principal that brings the payees to their planned closing balance. */
export type PlannedAmount = { schedule: { period: number; balance: number }[] };
/** Words that stand for an amount: of principal, and of a limit of a coupon. */
export type AmountWord = 'PRINCIPAL_COLLECTIONS' | 'ALL' | 'NET_WAC';

export type Amount =
  | number
  | Share
  | SchedulePoint[]
  | { max_of: Amount[] }
  | { min_of: Amount[] }
  | { sum_of: Amount[] }
  | { minus: Amount[] }
  | { if: string; then: Amount; else: Amount }
  | SeniorShare
  | AmountWord
  | TargetAmount
  | PlannedAmount;

const nested = (description: string): TSchema => Type.Unsafe<Amount>({ description: `${description} An amount.` });
const nestedList = (description: string) =>
  Type.Optional(Type.Array(Type.Unsafe<Amount>({}), { maxItems: 20, description: `${description} One amount or more.` }));
const names = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64, format: 'plain-text' }), {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description,
    }),
  );

export const ScheduleSchema = Type.Array(
  Type.Object(
    {
      from_period: Type.Optional(
        Type.Integer({ minimum: 0, maximum: MAX_PERIODS, description: 'First payment period of the value; 0 is the closing.' }),
      ),
      from_date: Type.Optional(
        Type.String({
          format: 'date',
          description: 'In place of `from_period`: the first payment date or accrual date of the value.',
        }),
      ),
      value: Type.Number({ minimum: -MAX_AMOUNT, maximum: MAX_AMOUNT, description: 'Value from here to the next point.' }),
    },
    { title: 'AmountPoint' },
  ),
  { minItems: 1, maxItems: MAX_PERIODS, description: 'Values by payment period or date; the last one holds.' },
);

export const FormSchema = Type.Object(
  {
    percent: Type.Optional(nested('Percentage of `of`.')),
    of: Type.Optional(
      Type.Unsafe<Base>({
        type: 'string',
        maxLength: 72,
        pattern: `^(${NAMED_BASES.join('|')}|ACCOUNT:.{1,64})$`,
        description: `Base of the percentage: ${NAMED_BASES.join(', ')}, or ACCOUNT: and the name of an account.`,
      }),
    ),
    of_tranches: names('Tranches whose balances count, by name; a last `*` stands for any ending.'),
    floor: Type.Optional(nested('At least this much.')),
    max_of: nestedList('The largest of them.'),
    min_of: nestedList('The smallest of them.'),
    sum_of: nestedList('Their sum.'),
    minus: nestedList('The first less the others, at least 0.'),
    if: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        format: 'plain-text',
        description: 'Trigger: `then` while it is on, else `else`.',
      }),
    ),
    then: Type.Optional(nested('While the trigger is on.')),
    else: Type.Optional(nested('While it is off.')),
    share_of: names('Of a percentage: the share of these tranches in the pool, before the payment.'),
    shift: Type.Optional(nested('Percentage of the other share that is added to it.')),
    target: Type.Optional(
      Type.Unsafe<'OC' | 'NOTES'>({
        type: 'string',
        enum: ['OC', 'NOTES'],
        title: 'PrincipalTarget',
        description:
          'Of principal. OC: what brings the notes down to the pool less a size. NOTES: what brings the notes down to a size. The size is `percent` of `of`, at least `floor`; or `amount`.',
      }),
    ),
    amount: Type.Optional(nested('Of a target: its size.')),
    schedule: Type.Optional(
      Type.Array(
        Type.Object(
          {
            period: Type.Integer({ minimum: 1, maximum: MAX_PERIODS, description: 'Payment period.' }),
            balance: Type.Number({ minimum: 0, maximum: MAX_AMOUNT, format: 'money', description: 'Planned closing balance.' }),
          },
          { title: 'PlannedBalance' },
        ),
        {
          minItems: 1,
          maxItems: MAX_PERIODS,
          description: 'Of principal: planned closing balances by payment period; one holds until the next is given.',
        },
      ),
    ),
  },
  {
    title: 'AmountForm',
    description:
      'One form of an amount: {percent, of, of_tranches, floor}; {max_of}; {min_of}; {sum_of}; {minus}; {if, then, else}; of a percentage also {share_of, shift}; of principal also {target, percent, of, floor, amount, of_tranches} and {schedule}. Amounts stand in each other at most four deep.',
  },
);

/** The schema of a field that takes an amount: a number of the field's own bounds, or another form. */
export const amountOf = <Value = Amount>(
  number: TSchema,
  description: string,
  words: readonly string[] = [],
  others: readonly TSchema[] = [],
) =>
  Type.Unsafe<Value>({
    anyOf: [
      number,
      ...(words.length > 0 ? [{ type: 'string', enum: words, description: 'Rule.' }] : []),
      ScheduleSchema,
      ...others,
      FormSchema,
    ],
    description,
  });

export const LISTS = ['max_of', 'min_of', 'sum_of', 'minus'] as const;
export type ListForm = (typeof LISTS)[number];

export function listOf(amount: Amount): { form: ListForm; amounts: Amount[] } | null {
  if (typeof amount !== 'object' || Array.isArray(amount)) return null;
  const found = Object.entries(amount).find((entry): entry is [ListForm, Amount[]] => LISTS.some((form) => form === entry[0]));
  return found ? { form: found[0], amounts: found[1] } : null;
}

export function isForm<Form extends object>(amount: Amount | undefined, field: keyof Form & string): amount is Form & Amount {
  return typeof amount === 'object' && !Array.isArray(amount) && Object.hasOwn(amount, field);
}

/** The amounts that stand directly in an amount, with their paths in it. */
export function partsOf(amount: Amount): { amount: Amount; path: string; role: 'PERCENT' | 'SAME' | 'MONEY' }[] {
  if (typeof amount !== 'object' || Array.isArray(amount)) return [];
  const list = listOf(amount);
  if (list) return list.amounts.map((part, place) => ({ amount: part, path: `.${list.form}[${place}]`, role: 'SAME' }));
  const roles = { percent: 'PERCENT', floor: 'MONEY', amount: 'MONEY', shift: 'PERCENT', then: 'SAME', else: 'SAME' } as const;
  return Object.entries(roles).flatMap(([field, role]) => {
    const part = (amount as Record<string, Amount | undefined>)[field];
    return part === undefined ? [] : [{ amount: part, path: `.${field}`, role }];
  });
}
