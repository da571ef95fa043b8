import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import { escaped } from './shell.ts';

const FOLDER = fileURLToPath(new URL('../../../../docs/', import.meta.url));
const FIRST = ['originator', 'investor', 'operator'];

/** The script that verifies an export of the audit log. */
export const VERIFIER_PATH = '/docs/verify-audit.mjs';
export const readVerifier = (): string => readFileSync(`${FOLDER}verify-audit.mjs`, 'utf8');

export type Guide = { name: string; title: string; href: string; markdown: string };

/** The guides of the repository: the walks of the three roles first, then by name. */
export function readGuides(): readonly Guide[] {
  const place = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return globSync(['guide/*.md', 'operating*.md', 'scaling.md'], { cwd: FOLDER })
    .map((file) => ({ file, name: basename(file, '.md') }))
    .sort((a, b) => place(a.name) - place(b.name) || (a.name < b.name ? -1 : 1))
    .map(({ file, name }) => {
      const markdown = readFileSync(`${FOLDER}${file}`, 'utf8');
      return { name, title: /^# (.*)$/m.exec(markdown)?.[1] ?? name, href: `/docs/guide/${name}`, markdown };
    });
}

/** A guide as HTML: headings have the anchors that links use, and links to other guides lead to their pages. */
export function guideHtml({ markdown }: Pick<Guide, 'markdown'>): string {
  const marked = new Marked({ gfm: true, async: false });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        if (href === '../verify-audit.mjs') return `<a href="${VERIFIER_PATH}">${this.parser.parseInline(tokens)}</a>`;
        return `<a href="${escaped(href.replace(/^(?:\.\.\/|guide\/)?([\w-]+)\.md(?=#|$)/, '/docs/guide/$1'))}">${this.parser.parseInline(tokens)}</a>`;
      },
      table(token) {
        const cells = (tag: string, row: readonly (typeof token.header)[number][]): string =>
          `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        return `<div class="wide"><table>${cells('th', token.header)}${token.rows.map((row) => cells('td', row)).join('')}</table></div>\n`;
      },
    },
  });
  return marked.parse(markdown) as string;
}

/** The anchor of a heading as repositories show it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
