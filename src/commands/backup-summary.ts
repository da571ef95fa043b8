import type { Manifest } from '../platform/backup/manifest.ts';

export type Output = { printJson(value: unknown): void; notice(line: string): void };

/** A backup in numbers, as `backup` and `restore` print it. */
export const summaryOf = (directory: string, manifest: Manifest) => ({
  directory,
  snapshot_at: manifest.snapshot_at,
  tables: manifest.tables.length,
  rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
  objects: manifest.objects.count,
  problems: manifest.problems,
});
