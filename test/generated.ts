// The files that are made from others: `npm run generate` writes them, `npm run check` compares them.
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '../src/app.ts';
import { makeCatalogue } from '../src/commands/client/catalogue/make-catalogue.ts';
import { describeApi } from '../src/description.ts';
import { startEmbeddedPostgres } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { schemaSql } from './schema-sql.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

export type Generated = { path: string; source: string; make(): Promise<string> };

export const GENERATED: readonly Generated[] = [
  { path: 'openapi.json', source: 'the routes', make: async () => `${JSON.stringify(describeApi(ROUTES), null, 2)}\n` },
  { path: 'src/commands/client/catalogue/operations.json', source: 'the OpenAPI document', make: async () => catalogueJson() },
  { path: 'src/commands/client/catalogue/operation-id.ts', source: 'the OpenAPI document', make: async () => operationIds() },
  { path: 'db/schema.sql', source: 'the migrations', make: databaseSchema },
];

const fileOf = ({ path }: Generated): string => `${ROOT}${path}`;

export async function isCurrent(generated: Generated): Promise<boolean> {
  return (await generated.make()) === readFileSync(fileOf(generated), 'utf8');
}

/** What the command line knows of the API, an operation a line. */
function catalogueJson(): string {
  const operations = makeCatalogue(describeApi(ROUTES));
  return `[\n${operations.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`;
}

function operationIds(): string {
  const ids = makeCatalogue(describeApi(ROUTES)).map(({ id }) => `  | '${id}'`);
  return `// Made from the routes by \`npm run generate\`; edits are overwritten.\nexport type OperationId =\n${ids.join('\n')};\n`;
}

/** The schema of a database that was migrated from nothing. */
async function databaseSchema(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-schema-'));
  const server = await startEmbeddedPostgres({ directory, settings: { fsync: 'off' } });
  try {
    await migrate(server.url);
    return await schemaSql(server.url);
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

if (import.meta.main)
  for (const generated of GENERATED) {
    writeFileSync(fileOf(generated), await generated.make());
    process.stderr.write(`wrote ${generated.path}\n`);
  }
