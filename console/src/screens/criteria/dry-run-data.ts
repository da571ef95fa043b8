import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { WHEN_BUSY } from './criteria-data.ts';
import type { SetBody } from './language.ts';

/** What a dry run tells: the figures of a run, and columns that the set declares and the tape does not have. */
export type DryRun = Pick<
  Records['CriteriaRun'],
  | 'passed'
  | 'failed'
  | 'total'
  | 'waived'
  | 'run_at'
  | 'tape_version'
  | 'passed_balance'
  | 'failed_balance'
  | 'rule_results'
  | 'waterfall'
  | 'pool_tests'
> & { absent_columns?: string[] };

export type Tried = {
  /** The last result, of this set or of an earlier state of it. */
  result: DryRun | null;
  /** The result of the state before that one. */
  before: DryRun | null;
  running: boolean;
  /** The result is not of the set as it stands. */
  outOfDate: boolean;
  error: unknown;
  retry: () => void;
};

const WAIT_MS = 600;

/** Runs a set as it stands over a deal, a moment after the last change; nothing of it is stored. */
export function useDryRun(dealId: string | undefined, criteriaId: string | null, body: SetBody, allowed: boolean): Tried {
  const text = JSON.stringify(body);
  const [settled] = useDebouncedValue(text, WAIT_MS);
  const run = useQuery({
    queryKey: ['dry-run', dealId, criteriaId, settled],
    enabled: allowed && dealId !== undefined,
    ...WHEN_BUSY,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const criteria: SetBody = JSON.parse(settled);
      const { data } = await sent(
        api.POST('/v1/api/originator/sc/deals/{dealId}/run', {
          params: { path: { dealId: dealId ?? '' } },
          body: { criteria, dry_run: true, ...(criteriaId ? { criteria_id: criteriaId } : {}) },
          signal,
        }),
      );
      // The API describes the answer of a queued run; that of a dry run has the figures of a run.
      return data as unknown as DryRun;
    },
  });
  const [kept, setKept] = useState<{ result: DryRun | null; before: DryRun | null; of: string }>({
    result: null,
    before: null,
    of: '',
  });
  const deal = useRef(dealId);
  useEffect(() => {
    if (!run.data || run.data === kept.result) return;
    // A figure of another deal is nothing to compare with.
    const before = deal.current === dealId ? kept.result : null;
    deal.current = dealId;
    setKept({ result: run.data, before, of: `${dealId} ${settled}` });
  }, [run.data, kept.result, dealId, settled]);
  return {
    ...kept,
    running: run.isFetching || (dealId !== undefined && allowed && settled !== text),
    outOfDate: kept.result !== null && kept.of !== `${dealId} ${text}`,
    // A fault of what has been mended since is none any more.
    error: run.isFetching || settled !== text || !allowed ? null : run.error,
    retry: () => void run.refetch(),
  };
}

/** Deals over which criteria of a loan type can run. */
export function useRunnableDeals(type: Records['LoanType']) {
  return useQuery({
    queryKey: ['deals', 'runnable', type],
    queryFn: async () => {
      const { data, pagination } = await sent(api.GET('/v1/api/originator/loans', { params: { query: { type, limit: 100 } } }));
      return {
        deals: data.filter(({ status }) => status === 'QC_COMPLETED' || status === 'APPROVED'),
        left: Math.max(0, (pagination.total ?? data.length) - data.length),
      };
    },
  });
}
