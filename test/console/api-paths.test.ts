import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '../../src/app.ts';

const FOLDER = fileURLToPath(new URL('../../console/', import.meta.url));
const sources = globSync('**/*.ts', { cwd: FOLDER }).map((file) => ({ file, text: readFileSync(`${FOLDER}${file}`, 'utf8') }));

/** A path as the console writes it, with a place for every value: `/v1/api/alerts/{}`. */
const shapeOf = (path: string): string => path.replace(/\$\{[^}]*\}/g, '{}');
const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

test('the console speaks to routes of the public API and to nothing else', () => {
  // A path to which more is added in another place is the beginning of a known one.
  const known = ROUTES.flatMap(({ path }) => {
    const parts = path.replace(/:\w+/g, '{}').split('/');
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  });
  const named = sources.flatMap(({ file, text }) => [
    ...[...text.matchAll(/['`](\/v1\/[^'`]*)['`]/g)].map((match) => ({ file, path: shapeOf(match[1] ?? '') })),
    // A path of the own organization stands under both bases.
    ...[...text.matchAll(/ownPath\(['`]([^'`]*)['`]\)/g)].flatMap((match) =>
      ['/v1/api', '/v1/operator'].map((base) => ({ file, path: shapeOf(`${base}${match[1]}`) })),
    ),
  ]);
  assert.ok(named.length > 50);
  const unknown = named.filter(({ path }) => {
    const pattern = new RegExp(`^${path.split('{}').map(escape).join('[^/]+')}$`);
    return !known.some((each) => pattern.test(each));
  });
  assert.deepEqual(unknown, []);
});

test('the key is neither written into an address nor into a log, and nothing comes from another place', () => {
  for (const { file, text } of sources) {
    assert.doesNotMatch(text, /console\.(log|info|warn|error|debug)/, file);
    assert.doesNotMatch(text, /innerHTML|dangerouslySetInnerHTML|\beval\(|new Function/, file);
    assert.doesNotMatch(text.replace(/placeholder: 'https:\/\/example[^']*'/, ''), /https?:\/\/(?!www\.w3\.org)/, file);
    if (file !== 'lib/session.ts') assert.doesNotMatch(text, /sessionStorage/, file);
    assert.doesNotMatch(text, /localStorage\.setItem\((?!'sluice\.theme')/, file);
  }
});
