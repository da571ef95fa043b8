import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, ApiFailure, type FieldProblem, type Records, sent } from '../../app/api.ts';
import { readJson } from '../../ui/read-json.ts';
import { type Field, isRecord, type SetBody } from './language.ts';

/** The fields of a loan type; they change with a release of the gateway alone. */
export const useDictionary = (loanType: Records['LoanType']): UseQueryResult<Field[]> =>
  useQuery({
    queryKey: ['dictionary', loanType, 'fields'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () =>
      (await sent(api.GET('/v1/api/originator/loans/dictionary', { params: { query: { type: loanType } } }))).data,
  });

/** A version of a set, the latest where none is named. */
export const criteriaQuery = (criteriaId: string, version?: number) =>
  queryOptions({
    queryKey: ['criteria', criteriaId, version ?? 'latest'],
    queryFn: async () =>
      (
        await sent(
          api.GET('/v1/api/originator/sc/criteria/{criteriaId}', {
            params: { path: { criteriaId }, query: version === undefined ? {} : { version } },
          }),
        )
      ).data,
  });

/** Every set of a loan type, the newest first, as far as one page goes. */
export const useSetsOf = (type: Records['LoanType']) =>
  useQuery({
    queryKey: ['criteria', 'of-type', type],
    queryFn: () => sent(api.GET('/v1/api/originator/sc/criteria', { params: { query: { type, limit: 100 } } })),
  });

/**
 * A set as it can be sent again. What stands inside its rules is not described by the API: it is of the rule language, since the
 * gateway accepted it.
 */
export function bodyOf({ criteria_id: _id, version: _version, created_at: _at, ...set }: Records['CriteriaSet']): SetBody {
  return set as SetBody;
}

/** A set that somebody wrote as text, or what keeps it from being one. */
export function readSet(text: string): SetBody | string {
  const read = readJson(text);
  if ('problem' in read) return read.problem;
  const { value } = read;
  if (!isRecord(value)) return 'A set is an object in braces.';
  if (typeof value.loan_type !== 'string') return 'A set needs a loan_type.';
  for (const list of ['loan_rules', 'pool_tests']) {
    const items = value[list] ?? (list === 'pool_tests' ? [] : undefined);
    if (!Array.isArray(items) || !items.every(isRecord)) return `${list} is a list of objects.`;
    if (list === 'loan_rules' && !items.every(({ rule }) => isRecord(rule))) return 'Each of loan_rules has an id and a rule.';
  }
  // Everything else is for the API to judge: it says what is wrong, and where.
  return value as SetBody;
}

const BUSY = 429;
const TRIES = 4;

/** Of calculations that one waits for: while the gateway is busy with others, the same is asked again after the time that it names. */
export const WHEN_BUSY = {
  retry: (count: number, error: Error): boolean => count < TRIES && error instanceof ApiFailure && error.status === BUSY,
  retryDelay: (count: number, error: Error): number =>
    1_000 * Math.max(count + 1, error instanceof ApiFailure ? (error.retryAfter ?? 0) : 0),
};

/** Faults that the API found, each with its path in the set: `loan_rules[0].rule.value`. */
export function faultsOf(error: unknown): FieldProblem[] {
  if (!(error instanceof ApiFailure)) return [];
  return error.fields.map(({ field, ...rest }) => ({
    ...rest,
    field: field.replace(/^criteria\./, '').replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]'),
  }));
}

export const faultsAt = (faults: readonly FieldProblem[], path: string): FieldProblem[] =>
  faults.filter(({ field }) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`));
