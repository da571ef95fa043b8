import { checkTapeTask } from './loans/tasks/check-tape.ts';
import { versionDiffTask } from './loans/tasks/compare-versions.ts';
import { compareMonthTask } from './loans/tasks/compare-month.ts';
import { evaluationTask } from './loans/tasks/evaluate-criteria.ts';
import { ingestTask } from './loans/tasks/ingest-tape.ts';
import { previewMappingTask } from './loans/tasks/preview-mapping.ts';
import { probeTapeTask } from './loans/tasks/probe-tape.ts';
import { comparisonTask, searchTask } from './loans/tasks/search-pool.ts';
import { disclosedLoansTask } from './loans/tasks/write-disclosed.ts';
import { identitiesTask } from './loans/tasks/write-identities.ts';
import { servePoolTask } from './loans/tasks/serve-pool.ts';
import { poolTableTask } from './loans/tasks/write-pool.ts';
import type { AnyTask } from './platform/compute/task.ts';

/** Every task of the child processes. */
export const tasks: readonly AnyTask[] = [
  ingestTask,
  checkTapeTask,
  probeTapeTask,
  evaluationTask,
  searchTask,
  comparisonTask,
  poolTableTask,
  identitiesTask,
  versionDiffTask,
  compareMonthTask,
  servePoolTask,
  previewMappingTask,
  disclosedLoansTask,
];
