import { createHash } from 'node:crypto';
import { SCRIPT, STYLE } from './look.ts';

/** The addresses of style and script have the hash of their bytes, so that a browser keeps them for good. */
const addressOf = (text: string, extension: string): string =>
  `/docs/assets/reference.${createHash('sha256').update(text).digest('hex').slice(0, 16)}.${extension}`;
export const STYLE_PATH = addressOf(STYLE, 'css');
export const SCRIPT_PATH = addressOf(SCRIPT, 'js');

export const isForGood = (path: string): boolean => path === STYLE_PATH || path === SCRIPT_PATH;

export const DOCS_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

export type Link = { title: string; href: string };

/** A page of the documentation with its links to the others. */
export function htmlPage({
  title,
  main,
  nav,
  alternate,
}: {
  title: string;
  main: string;
  nav: string;
  alternate?: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)} · Sluice API</title><link rel="stylesheet" href="${STYLE_PATH}">${alternate ? `<link rel="alternate" type="text/markdown" href="${alternate}">` : ''}<script src="${SCRIPT_PATH}" defer></script></head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header><a href="/docs">Sluice API</a></header>
<div class="columns"><nav aria-label="Pages"><details class="menu" open><summary>Pages</summary>${nav}</details></nav>
<main id="main">
${main}
</main></div>
</body>
</html>
`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

/** A sentence of the description, in which code stands between backticks. */
export const prose = (text: string): string => escaped(text).replace(/`([^`]*)`/g, '<code>$1</code>');

export const paragraphs = (text: string): string =>
  text
    .split('\n\n')
    .map((paragraph) => `<p>${prose(paragraph)}</p>`)
    .join('\n');

export const linkList = (links: readonly Link[], current?: string): string =>
  `<ul>${links.map(({ title, href }) => `<li><a href="${href}"${href === current ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`).join('')}</ul>`;
