import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { bodyOf, criteriaQuery, useDictionary } from './criteria-data.ts';
import { type Fields, fieldsOf, isOperator, OPERATORS, type SetBody } from './language.ts';
import { sayValue } from './say.ts';
import { words } from '../../ui/format.tsx';

export type Run = Records['CriteriaRun'];

const POLL_MS = 1_000;
export const isLive = ({ status }: Pick<Run, 'status'>): boolean => status === 'PENDING' || status === 'RUNNING';

/** A run, again and again until it has ended. */
export const useRun = (scJobId: string): UseQueryResult<Run> =>
  useQuery({
    queryKey: ['criteria-runs', scJobId],
    queryFn: async () => (await sent(api.GET('/v1/api/originator/sc/jobs/{scJobId}', { params: { path: { scJobId } } }))).data,
    refetchInterval: ({ state }) => (state.data && isLive(state.data) ? POLL_MS : false),
  });

/** Runs of a deal, newest first, as far as one page goes. */
export const useRuns = (dealId: string, limit: number) =>
  useQuery({
    queryKey: ['criteria-runs', 'of', dealId, limit],
    queryFn: () =>
      sent(api.GET('/v1/api/originator/sc/deals/{dealId}/results', { params: { path: { dealId }, query: { limit } } })),
  });

export type RunSet = { name: string; body: SetBody; fields: Fields };

/** The criteria as they were when they ran, and the fields that they name. */
export function useRunSet(
  run: Pick<Run, 'criteria_id' | 'criteria_version'>,
  loanType: Records['LoanType'],
): UseQueryResult<RunSet> {
  const dictionary = useDictionary(loanType);
  const set = useQuery({
    ...criteriaQuery(run.criteria_id, run.criteria_version),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const data = useMemo(() => {
    if (!set.data || !dictionary.data) return undefined;
    const body = bodyOf(set.data);
    return { name: set.data.name, body, fields: fieldsOf(dictionary.data, body.custom_fields) };
  }, [set.data, dictionary.data]);
  const base = set.data ? dictionary : set;
  return { ...base, data } as UseQueryResult<RunSet>;
}

/** Parts that the API joins where several comparisons decided. */
const JOINED = '; ';

/** Why a loan does not pass a rule: what was seen, and what was expected. */
export function sayFailure(failure: Records['RuleFailure'], fields: Fields): string {
  const { field, operator, expected, actual, reason } = failure;
  const parts = [field, operator, expected, actual].map((part) => String(part ?? '').split(JOINED));
  const [names = [], operators = [], wanted = [], seen = []] = parts;
  // A value may have such a joint itself: then all is said as it stands.
  if (names.length > 1 && parts.every(({ length }) => length === names.length))
    return names
      .map((name, at) => sayOne(name, operators[at], wanted[at], seen[at] === '(missing)' ? null : seen[at], fields))
      .join('; ');
  return sayOne(field ?? '', operator, expected, reason === 'MISSING' ? null : actual, fields);
}

function sayOne(field: string, operator: string | null | undefined, expected: unknown, actual: unknown, fields: Fields): string {
  const known = fields.get(field);
  const say = (value: unknown): string => sayValue(value, known?.type, known?.unit);
  const [, not = '', word = ''] = /^(not )?(.*)$/.exec(operator ?? '') ?? [];
  const must = isOperator(word) ? OPERATORS[word] : word;
  const name = field.split(' / ').map(words).join(' / ');
  const limit =
    operator === 'between' && Array.isArray(expected)
      ? `${say(expected[0])} and ${say(expected[1])}`
      : expected === null || expected === '(missing)'
        ? ''
        : say(expected);
  return `${name} is ${actual === null ? 'missing' : say(actual)}, must be ${not}${must} ${limit}`.trimEnd();
}
