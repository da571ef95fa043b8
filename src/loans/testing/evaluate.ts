import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, openEngine } from '../engine/engine.ts';
import { sqlText } from '../engine/sql.ts';

/** An engine in a folder of its own; both go when it is disposed of. */
export async function openBench(): Promise<{ engine: Engine; dir: string; path(name: string): string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const engine = await openEngine({ workDir: dir, allowedDirectories: [dir] });
  return {
    engine,
    dir,
    path: (name) => join(dir, name),
    async [Symbol.asyncDispose]() {
      await engine.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** SQL of a relation of texts: a column `t`, the position of each in `n`. */
function textsRelation(texts: readonly (string | null)[]): string {
  const rows = texts.map((text, index) => `(${index}, ${text === null ? 'CAST(NULL AS VARCHAR)' : sqlText(text)})`);
  return `(VALUES ${rows.join(', ')}) AS texts(n, t)`;
}

/** The value of an SQL expression over `t` for each text, as text. */
export async function evaluate(
  engine: Engine,
  expression: string,
  texts: readonly (string | null)[],
): Promise<(string | null)[]> {
  const rows = await engine.rows<{ value: string | null }>(
    `SELECT CAST(${expression} AS VARCHAR) AS value FROM ${textsRelation(texts)} ORDER BY n`,
  );
  return rows.map((row) => row.value);
}
