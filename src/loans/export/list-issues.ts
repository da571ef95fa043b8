import type { Engine } from '../engine/engine.ts';
import type { Page, PageRequest } from '../../platform/pages.ts';
import { selectRows } from '../engine/select-page.ts';
import { sqlText } from '../engine/sql.ts';
import type { IssueRow } from '../types.ts';

export type IssueFilter = { severity?: string; rule?: string; row?: number } & PageRequest;

/** A page of a tape's issues, in the order of the rows; issues of the tape as a whole come first. */
export function listIssues(engine: Engine, issuesPath: string, filter: IssueFilter): Promise<Page<IssueRow>> {
  return selectRows<IssueRow>(
    engine,
    {
      columns: 'row_number, line, column_name as "column", field, rule_id, severity, message, actual, expected',
      source: `read_parquet(${sqlText(issuesPath)}, file_row_number = true)`,
      conditions: [
        ...(filter.severity ? [`severity = ${sqlText(filter.severity)}`] : []),
        ...(filter.rule ? [`rule_id = ${sqlText(filter.rule)}`] : []),
        ...(filter.row === undefined ? [] : [`row_number = ${filter.row}`]),
      ],
      order: [
        { by: 'row_number', as: 'bigint', nulls: 'first' },
        { by: 'rule_id', as: 'text' },
        { by: 'column_name', as: 'text', nulls: 'last' },
        // A tape may have one rule's issue about one column more than once.
        { by: 'file_row_number', as: 'bigint' },
      ],
    },
    filter,
  );
}
