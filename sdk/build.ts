import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { EVENTS } from '../src/events/events.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(HERE, '..');
const TYPES = join(HERE, 'src/generated/api.ts');
const PATHS = join(HERE, 'src/generated/paths.ts');

/** The description with one more schema: the data of each event by its name. */
function description(): Record<string, unknown> {
  const described = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));
  described.components.schemas.EventData = {
    type: 'object',
    description: 'The data of each event, by the name of the event.',
    required: Object.keys(EVENTS),
    properties: EVENTS,
  };
  return described;
}

/** Fields with a default stay optional in what is sent; an object without described fields may have any. */
async function writeTypes(): Promise<void> {
  const types = astToString(
    await openapiTypescript(JSON.stringify(description()), { defaultNonNullable: false, emptyObjectsUnknown: true }),
  );
  mkdirSync(dirname(TYPES), { recursive: true });
  writeFileSync(TYPES, `// Generated from openapi.json by build.ts; edits are overwritten.\n${types}`);
}

type Described = {
  parameters?: { name: string; schema?: { maximum?: number } }[];
  responses?: Record<string, { content?: object }>;
};

/** The paths that answer with a file or a stream, everything else answers with JSON; and the lists whose pages have another size at most than those of all others, by it. */
function writePaths(): void {
  const { paths } = description() as { paths: Record<string, { get?: Described }> };
  const reads = Object.entries(paths).map(([path, { get = {} }]) => ({ path, ...get }));
  const files = reads.filter(({ responses }) =>
    Object.keys(responses?.['200']?.content ?? {}).some((type) => type !== 'application/json'),
  );
  const pages = reads.flatMap(({ path, parameters = [] }) => {
    const most = parameters.find(({ name }) => name === 'limit')?.schema?.maximum;
    return most === undefined ? [] : [{ path, most }];
  });
  writeFileSync(
    PATHS,
    `// Generated from openapi.json by build.ts; edits are overwritten.
export const FILE_PATHS: readonly string[] = [
${files.map(({ path }) => `  '${path}',\n`).join('')}];
export const OTHER_PAGES: Readonly<Record<string, number>> = {
${pages.map(({ path, most }) => `  '${path}': ${most},\n`).join('')}};
`,
  );
}

function compile(): void {
  const compiler = join(dirname(createRequire(join(ROOT, 'package.json')).resolve('typescript/package.json')), 'bin/tsc');
  rmSync(join(HERE, 'dist'), { recursive: true, force: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '--project', join(HERE, 'tsconfig.build.json')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the package does not compile\n${stdout}${stderr}`);
}

await writeTypes();
writePaths();
if (!process.argv.includes('--types-only')) compile();
