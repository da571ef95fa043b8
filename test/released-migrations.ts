// The migrations that were released, by the sha-256 of their text. A database has run them: none of them ever changes.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Migration, readMigrations } from '../src/platform/db/migrate.ts';

const LIST = fileURLToPath(new URL('../db/migrations.sha256', import.meta.url));

export type Released = ReadonlyMap<string, string>;

/** File name → sha-256, from the list in the format of sha256sum. */
export function readReleased(): Released {
  const lines = readFileSync(LIST, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

export type Differences = { changed: string[]; missing: string[]; unlisted: string[] };

export function compareReleased(released: Released, migrations: readonly Pick<Migration, 'name' | 'sha256'>[]): Differences {
  const present = new Map(migrations.map(({ name, sha256 }) => [name, sha256]));
  const names = [...released.keys()];
  return {
    changed: names.filter((name) => present.has(name) && present.get(name) !== released.get(name)),
    missing: names.filter((name) => !present.has(name)),
    unlisted: [...present.keys()].filter((name) => !released.has(name)),
  };
}

/** A sentence for each difference that says what to do. */
export function problemsOf({ changed, missing, unlisted }: Differences): string[] {
  return [
    ...changed.map(
      (name) =>
        `db/migrations/${name} was edited after its release: databases that ran it will not start. Put it back (git checkout) and make the change in a new file. If it was never released, delete its line in db/migrations.sha256 and run npm run generate.`,
    ),
    ...missing.map((name) => `db/migrations/${name} was released and is gone: put it back.`),
    ...unlisted.map((name) => `db/migrations/${name} is not in db/migrations.sha256: run npm run generate.`),
  ];
}

/** Numbers up to this one have gaps, and stay as they were released; each migration after it takes the next number. */
const LAST_WITH_GAPS = 78;

/** A sentence for each migration whose number is not the next one, so that two branches cannot both take a number. */
export function numberingProblems(released: Released, names: readonly string[]): string[] {
  const numberOf = (name: string): number => (/^\d{4}_[a-z0-9_]+\.sql$/.test(name) ? Number(name.slice(0, 4)) : Number.NaN);
  const free = names.filter((name) => !(released.has(name) && numberOf(name) <= LAST_WITH_GAPS));
  return free.toSorted().flatMap((name, index) => {
    const number = LAST_WITH_GAPS + 1 + index;
    if (numberOf(name) === number) return [];
    const wanted = `${String(number).padStart(4, '0')}_${name.replace(/^\d*_?/, '')}`;
    return [`db/migrations/${name} is not the next in the sequence: name it ${wanted}.`];
  });
}

/** Adds new migrations to the list; what was released stays as it is. Returns the names that were added. */
function addNew(): string[] {
  const [released, migrations] = [readReleased(), readMigrations()];
  const { changed, missing, unlisted } = compareReleased(released, migrations);
  const problems = [
    ...problemsOf({ changed, missing, unlisted: [] }),
    ...numberingProblems(
      released,
      migrations.map(({ name }) => name),
    ),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  writeFileSync(LIST, migrations.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
  return unlisted;
}

if (import.meta.main) {
  try {
    for (const name of addNew()) process.stderr.write(`added ${name} to db/migrations.sha256\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
