import { emit } from '../../events/emit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { Mover } from '../../platform/moves.ts';
import type { WireScenario } from '../../finance/structure/request.ts';
import type { PortfolioResult } from './portfolio-figures.ts';

export const PORTFOLIO_RUN_STATUSES = ['RUNNING', 'COMPLETED'] as const;
export type PortfolioRunStatus = (typeof PORTFOLIO_RUN_STATUSES)[number];

/** Why nothing of a deal, or of a tranche of it, is in the results. */
export const LEFT_OUT = {
  NO_MARK: 'no mark was published: there is no yield to discount at',
  NO_YIELD: 'the mark has no yield to discount at',
  NO_CALCULATION: 'the calculation behind the mark is not there: nothing says what it assumed',
  OTHER_BASIS: 'the yield of the mark has another basis than that of the deal’s latest mark',
} as const;
export type LeftOutCode = keyof typeof LEFT_OUT | 'CANNOT_RUN' | 'CALCULATION_FAILED' | 'CALCULATION_INTERRUPTED';

export type LeftOut = { deal_id: Id<'deal'>; tranche_ids: Id<'trn'>[]; code: LeftOutCode; reason: string };

/** Failures that the same request need not meet again. */
export const FAILURES: readonly LeftOutCode[] = ['CALCULATION_FAILED', 'CALCULATION_INTERRUPTED'];

/** Results that were stored before positions were kept have neither them nor the sums. */
type StoredResult = Omit<PortfolioResult, LaterFigure> & Partial<Pick<PortfolioResult, LaterFigure>>;
type LaterFigure = 'interest' | 'principal' | 'writedown' | 'wal' | 'positions';

/** A calculation of an investor's book, deal by deal. */
export type PortfolioRun = {
  calculation_id: Id<'calc'>;
  organization_id: Id<'org'>;
  status: PortfolioRunStatus;
  as_of: string;
  scenarios: WireScenario[];
  deals: number;
  positions: number;
  left_out: LeftOut[];
  result: {
    results: StoredResult[];
    warnings: { deal_id: Id<'deal'>; warnings: string[] }[];
    /** The engine that calculated all of its deals; null where several did. */
    engine_version?: string | null;
  } | null;
  created_at: Date;
  completed_at: Date | null;
  /** Null where a deal failed: the same request then starts anew. */
  run_key?: string | null;
};

/** A run ends when its last deal has: it does not fail, it leaves deals out. */
export const PORTFOLIO_RUN_MOVES = new Mover<PortfolioRun, 'status', PortfolioRunStatus>({
  noun: 'calculation',
  table: 'portfolio_runs',
  key: ['organization_id', 'calculation_id'],
  column: 'status',
  json: ['result', 'left_out'],
  moves: { RUNNING: ['COMPLETED'], COMPLETED: [] },
});

/** Ends a locked run with its results, and tells who asked for it. */
export async function completePortfolioRun(
  tx: Tx,
  run: PortfolioRun,
  output: Pick<PortfolioRun, 'result' | 'left_out'>,
): Promise<void> {
  const failed = output.left_out.some(({ code }) => FAILURES.includes(code));
  await PORTFOLIO_RUN_MOVES.move(tx, run, 'COMPLETED', { ...output, completed_at: tx.now, ...(failed ? { run_key: null } : {}) });
  const { organization_id, calculation_id } = run;
  const without = new Set(output.left_out.map(({ deal_id }) => deal_id)).size;
  await emit(tx, [
    {
      organization_id,
      event: 'calculation.completed',
      data: { calculation_id, type: 'PORTFOLIO', status: 'COMPLETED' },
      alert: {
        category: 'pool',
        priority: 'LOW',
        title: 'The scenarios of the portfolio are complete',
        message:
          without === 0
            ? 'Their results can be read.'
            : `Their results can be read; ${without} deals are left out, at least in part.`,
        entity_type: 'calculation',
        entity_id: calculation_id,
      },
    },
  ]);
}
