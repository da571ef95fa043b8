import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { FIRST_READS } from './src/app/first-reads.ts';

/**
 * What every page needs, in pieces: the browser draws and answers between two of them, where one script would hold it for as long as all of them take.
 * The first one evaluates the others one after the other. A piece takes along what it needs, unless a piece before it has that.
 */
const PIECES = {
  first: /app\/pieces\.ts/,
  react: /node_modules\/(react|react-dom|scheduler)\//,
  data: /node_modules\/(@tanstack\/(query-core|react-query|router-core|react-router)|openapi-fetch)\//,
  components: /node_modules\/@(mantine|floating-ui)\//,
};

const IN_PAGE = new RegExp(`^assets/(${['rolldown-runtime', ...Object.keys(PIECES), 'parts'].join('|')})-`);

/** Of the screens. */
const MOST = 15;
const FIRST = /\/first-/;
const SCRIPT = /\s*<script type="module" crossorigin src="([^"]+)"><\/script>/;
const PIECE = /<link rel="modulepreload" crossorigin href="([^"]+)">/g;
const STYLES = /\s*<link rel="stylesheet"[^>]+>/g;
const ROOT = /\s*<div id="root">/;

/** The page runs the first piece alone, which goes through the others by their links; the opening is drawn before the styles are there. */
const inPieces: Plugin = {
  name: 'in-pieces',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => {
      const [script, entry] = SCRIPT.exec(html) ?? [];
      const pieces = [...html.matchAll(PIECE)].map(([, piece = '']) => piece);
      const first = pieces.find((piece) => FIRST.test(piece));
      const [root] = ROOT.exec(html) ?? [];
      if (!script || !entry || !first || !root) throw new Error('index.html has no script, no first piece or no root');
      const links = [...pieces.filter((piece) => piece !== first), entry]
        .map((piece) => `\n    <link rel="modulepreload" data-piece crossorigin href="${piece}">`)
        .join('');
      const styles = html.match(STYLES)?.join('') ?? '';
      return html
        .replace(STYLES, '')
        .replace(PIECE, '')
        .replace(script, `\n    <script type="module" crossorigin src="${first}"></script>${links}`)
        .replace(root, `${styles}${root}`);
    },
  },
};

/** The client is read as it is written: a fresh installation may build it after the console. */
const TAPE_FORMAT = fileURLToPath(new URL('../sdk/src/tape-format.ts', import.meta.url));

const SCREENS = fileURLToPath(new URL('src/app/screens.ts', import.meta.url));
const SCREEN = /^ {2}'([^']+)': async \(\) => \(await import\('([^']+)'\)\)/gm;

/** For the gateway: what the page of each screen fetches besides the pieces, files and first reads, by its address. */
const screens: Plugin = {
  name: 'screens',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    const withImports = (name: string, found = new Set<string>()): Set<string> => {
      const chunk = chunks.find(({ fileName }) => fileName === name);
      if (!chunk || found.has(name)) return found;
      found.add(name);
      for (const each of chunk.imports) withImports(each, found);
      return found;
    };
    const pieces = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => [...withImports(fileName)]));
    const table = [...readFileSync(SCREENS, 'utf8').matchAll(SCREEN)].map(([, address = '', source = '']) => {
      const module = fileURLToPath(new URL(source, `file://${SCREENS}`));
      const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(module));
      if (!chunk) throw new Error(`the screen of ${address} is in no file`);
      const files = [...withImports(chunk.fileName)].filter((file) => !pieces.has(file));
      return { address, files, reads: FIRST_READS[address] ?? [] };
    });
    this.emitFile({ type: 'asset', fileName: 'screens.json', source: JSON.stringify(table) });
  },
};

export default defineConfig({
  base: '/console/',
  plugins: [react(), inPieces, screens],
  resolve: { alias: { 'sluice-sdk/tape-format': TAPE_FORMAT } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The page's policy has no data: scripts and fonts.
    assetsInlineLimit: 0,
    // Pieces are in the page already.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files, { hostType }) =>
        hostType === 'html' ? files : files.filter((file) => !IN_PAGE.test(file)),
    },
    target: 'es2023',
    // The first versions that know both schemes of a colour.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            ...Object.entries(PIECES).map(([name, test], place, { length }) => ({
              name,
              test,
              tags: ['$initial' as const],
              priority: length - place,
            })),
            // What most screens are made of comes in one file instead of twenty.
            {
              name: 'parts',
              test: /src\/(app\/address|ui\/(columns|page|read|problem|format|format-market|status|link|icon|intl|amount|export-csv))\.|components\/Tabs|@tabler|use-force-update/,
              minShareCount: MOST,
              priority: 0,
            },
          ],
        },
      },
    },
  },
});
