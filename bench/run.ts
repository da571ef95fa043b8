// Runs one benchmark by name: it prints a table and, last, one line of JSON with the ratio.
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./', import.meta.url));
const names = globSync('*.ts', { cwd: folder })
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => !['run'].includes(name) && !name.startsWith('gen-'))
  .sort();
const [name, ...args] = process.argv.slice(2);
if (!name || !names.includes(name)) {
  process.stderr.write(`usage: npm run bench -- NAME, one of: ${names.join(', ')}\n`);
  process.exit(2);
}
const benchmark = (await import(`./${name}.ts`)) as { run(args: string[]): Promise<void> };
await benchmark.run(args);
