import { lazyTask } from '../../platform/compute/task.ts';

export const ingestTask = lazyTask('ingest-tape', async () => (await import('./ingest-tape.ts')).runIngestTask);
export const checkTapeTask = lazyTask('check-tape', async () => (await import('./check-tape.ts')).checkTape);
export const probeTapeTask = lazyTask('probe-tape', async () => (await import('./probe-tape.ts')).runTapeProbe);
export const evaluationTask = lazyTask(
  'evaluate-criteria',
  async () => (await import('./evaluate-criteria.ts')).evaluateCriteria,
);
export const searchTask = lazyTask('search-pool', async () => (await import('./search-pool.ts')).runSearch);
export const comparisonTask = lazyTask('compare-runs', async () => (await import('./search-pool.ts')).runComparison);
export const poolTableTask = lazyTask('write-pool', async () => (await import('./write-pool.ts')).runPoolTable);
export const identitiesTask = lazyTask('write-identities', async () => (await import('./write-identities.ts')).runIdentities);
export const versionDiffTask = lazyTask('compare-versions', async () => (await import('./compare-versions.ts')).runVersionDiff);
export const compareMonthTask = lazyTask('compare-month', async () => (await import('./compare-month.ts')).runMonthComparison);
export const servePoolTask = lazyTask('serve-pool', async () => (await import('./serve-pool.ts')).runPoolService);
export const previewMappingTask = lazyTask(
  'preview-mapping',
  async () => (await import('./preview-mapping.ts')).runMappingPreview,
);
export const disclosedLoansTask = lazyTask(
  'write-disclosed-loans',
  async () => (await import('./write-disclosed.ts')).runDisclosedLoans,
);
