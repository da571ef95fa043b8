import type { Engine } from '../engine/engine.ts';
import { type PageOfRows, selectRows } from '../engine/select-page.ts';
import { parquet, sqlText } from '../engine/sql.ts';
import type { IssueRow } from '../types.ts';

export type IssueFilter = { severity?: string; rule?: string; page: number; limit: number };

/** A page of a tape's issues, in the order of the rows; issues of the tape as a whole come first. */
export function listIssues(engine: Engine, issuesPath: string, filter: IssueFilter): Promise<PageOfRows<IssueRow>> {
  return selectRows<IssueRow>(
    engine,
    {
      columns: 'row_number, line, column_name as "column", field, rule_id, severity, message, actual, expected',
      source: parquet(issuesPath),
      conditions: [
        ...(filter.severity ? [`severity = ${sqlText(filter.severity)}`] : []),
        ...(filter.rule ? [`rule_id = ${sqlText(filter.rule)}`] : []),
      ],
      order: 'row_number nulls first, rule_id, column_name',
    },
    filter,
  );
}
