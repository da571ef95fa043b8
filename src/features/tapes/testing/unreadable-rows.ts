import { dirname } from 'node:path';
import { openEngine } from '../../../loans/engine/engine.ts';
import { sqlText } from '../../../loans/engine/sql.ts';
import { ingestTask } from '../../../loans/tasks/tasks.ts';
import { task } from '../../../platform/compute/task.ts';

/** Checks whose engine cannot read the rows of the tape: it is told that each is two numbers. */
const unreadableRows = task(ingestTask.name, async ({ path }: { path: string }) => {
  await using engine = await openEngine({ workDir: dirname(path), allowedDirectories: [] });
  const columns = `columns = {'a': 'INTEGER', 'b': 'INTEGER'}`;
  return await engine.rows(`SELECT * FROM read_csv(${sqlText(path)}, auto_detect = false, header = true, ${columns})`);
});

export const tasks = [unreadableRows];
