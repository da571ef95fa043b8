import type { Engine } from '../engine/engine.ts';
import { correctedRow, joinedFindings, splitCorrection } from '../reading/correction.ts';
import { type RawTable, rawTableSource, type ReadNotice } from '../reading/raw-table.ts';

/** A version into which a tape can be merged. */
export type MergeBase = {
  version: number;
  rawPath: string;
  issuesPath: string;
  /** Its sealed values, in the clear; null where it has none, or none any more. */
  sealedPath?: string | null;
  /** Its loans were sent inline, or it was merged into a version whose loans were. */
  inline?: boolean;
};

/**
 * The version that a corrected issues file came from. That is the first of `bases`, the one in force, unless the findings that the file names
 * (`_row` with `_rule`) are not all findings of that version and are all findings of another one. A file whose `_rule` was edited or
 * comes from a run of criteria says nothing, and belongs to the version in force.
 */
export async function chooseBase(engine: Engine, raw: RawTable, bases: readonly MergeBase[]): Promise<MergeBase | null> {
  const [inForce = null] = bases;
  const { row, rule } = splitCorrection(raw.columns);
  if (!inForce || !row || !rule) return inForce;
  for (const base of bases) if (await namesFindingsOf(engine, raw, { row: row.index, rule: rule.index }, base)) return base;
  return inForce;
}

async function namesFindingsOf(
  engine: Engine,
  raw: RawTable,
  columns: { row: number; rule: number },
  { issuesPath }: MergeBase,
): Promise<boolean> {
  const named = `SELECT ${correctedRow(`c${columns.row}`)} AS row_number, c${columns.rule} AS rule FROM ${rawTableSource(raw)}`;
  const found = await engine.first<{ named: number; found: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS named, CAST(count(*) FILTER (j0 = trim(rule)) AS INTEGER) AS found ` +
      `FROM (${named}) LEFT JOIN (${joinedFindings(issuesPath)}) USING (row_number) WHERE row_number IS NOT NULL AND trim(rule) <> ''`,
  );
  return found !== undefined && found.named > 0 && found.found === found.named;
}

/** Tells that a corrected file was merged into another version than the one in force. */
export function otherVersionNotice(base: MergeBase, inForce: MergeBase): ReadNotice {
  return {
    code: 'CORRECTION_OF_OTHER_VERSION',
    severity: 'WARNING',
    message: `The findings that the corrected file names are those of version ${base.version} of the tape, not of version ${inForce.version}: it was merged into version ${base.version}, so what version ${inForce.version} changed is not in this tape. If that is wrong, download the file of findings again, correct it and send it.`,
    actual: `version ${base.version}`,
    expected: `version ${inForce.version}`,
  };
}

/** Tells that a corrected file became a tape of its own because there is no version to merge it into; null for any other tape. */
export function wholeTapeNotice(raw: RawTable): ReadNotice | null {
  if (splitCorrection(raw.columns).row === null) return null;
  return {
    code: 'CORRECTION_WITHOUT_VERSION',
    severity: 'WARNING',
    message: `The file has the columns of a file of findings (_row, _rule, _reason), and there is no earlier version to merge it into: its ${raw.rowCount} rows were read as a whole tape. To correct a tape, send the file as a new version of its deal.`,
    actual: `${raw.rowCount} rows`,
    expected: 'a whole tape',
  };
}
