import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Deps } from '../deps.ts';
import { prose } from './docs/shell.ts';
import { ERROR_GUIDE } from './error-guide.ts';
import { ERRORS, type ErrorCode } from './errors.ts';
import type { RouteConfig } from './options.ts';

const PAGE = '/docs/errors';
const STYLE = `${PAGE}.css`;
export const ERROR_PAGES = [PAGE, `${PAGE}.md`, STYLE];

const PUBLIC: { config: RouteConfig } = { config: { access: 'public' } };
const POLICY = `default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The page of the error codes; null where the reference, which it is part of, is switched off. */
export const errorsPage = ({ config, publicUrl }: Pick<Deps, 'config' | 'publicUrl'>): string | null =>
  config.pages.docs ? `${publicUrl()}${PAGE}` : null;

/** Serves the page that `doc_url` of an error points to: every code of the catalogue, as HTML and as Markdown. */
export function addErrorPages(app: FastifyInstance): void {
  const send = (reply: FastifyReply, type: string, text: string): FastifyReply =>
    reply
      .header('content-type', `${type}; charset=utf-8`)
      .header('content-security-policy', POLICY)
      .header('cache-control', 'no-cache')
      .send(text);
  app.get(PAGE, PUBLIC, async (_request, reply) => send(reply, 'text/html', errorsHtml()));
  app.get(`${PAGE}.md`, PUBLIC, async (_request, reply) => send(reply, 'text/markdown', errorsMarkdown()));
  app.get(STYLE, PUBLIC, async (_request, reply) => send(reply, 'text/css', CSS));
}

type Chapter = { status: number; codes: ErrorCode[] };

function chapters(): Chapter[] {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code][0] as number);
  return [...byStatus].sort(([a], [b]) => a - b).map(([status, of]) => ({ status, codes: of }));
}

const TITLE = 'Errors of the Sluice API';
const INTRODUCTION = [
  'Every error is one JSON object: `success` (false), `message` for people, `statusCode`, `code` for programs, `request_id`, `doc_url` (the entry on this page) and, for problems of single fields, `errors` with `field`, `code` and `message`.',
  'Branch on `code`: it is stable. The wording of a message is not. Errors with a status of 429 or 503 say in `Retry-After` when to try again.',
];
const STATUSES: Record<number, string> = {
  400: 'The request is not well-formed',
  401: 'The key is refused',
  403: 'The key or address may not do this',
  404: 'Not found',
  405: 'Another method',
  408: 'Too slow',
  409: 'The present state does not permit it',
  410: 'Gone',
  412: 'The record has changed',
  413: 'Too large',
  415: 'Another content type',
  422: 'Well-formed, and cannot be carried out',
  429: 'Too many at once',
  431: 'Headers too large',
  500: 'A defect',
  503: 'Not available at present',
};

export function errorsMarkdown(): string {
  const chapter = ({ status, codes }: Chapter): string => [heading(status), ...codes.map(entry)].join('\n\n');
  const heading = (status: number): string => `## ${status}: ${STATUSES[status]}`;
  const entry = (code: ErrorCode): string =>
    [`### ${code}`, ERRORS[code][1], `When: ${ERROR_GUIDE[code].when}`, `What to do: ${ERROR_GUIDE[code].remedy}`].join('\n\n');
  return `${[`# ${TITLE}`, ...INTRODUCTION, ...chapters().map(chapter)].join('\n\n')}\n`;
}

function errorsHtml(): string {
  const entry = (code: ErrorCode): string =>
    `<section id="${code}"><h3><a href="#${code}">${code}</a></h3><p>${prose(ERRORS[code][1])}</p><dl><dt>When</dt><dd>${prose(ERROR_GUIDE[code].when)}</dd><dt>What to do</dt><dd>${prose(ERROR_GUIDE[code].remedy)}</dd></dl></section>`;
  const chapter = ({ status, codes }: Chapter): string =>
    `<h2 id="${status}">${status}: ${STATUSES[status]}</h2>\n${codes.map(entry).join('\n')}`;
  const links = chapters().map(({ status }) => `<a href="#${status}">${status}</a>`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${TITLE}</title><link rel="stylesheet" href="${STYLE}"><link rel="alternate" type="text/markdown" href="${PAGE}.md"></head>
<body><main>
<h1>${TITLE}</h1>
${INTRODUCTION.map((text) => `<p>${prose(text)}</p>`).join('\n')}
<nav>${links.join(' ')} · <a href="${PAGE}.md">as Markdown</a> · <a href="/docs">API reference</a></nav>
${chapters().map(chapter).join('\n')}
</main></body>
</html>
`;
}

const CSS = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1rem; }
h2 { margin-top: 3rem; }
h3 { margin-bottom: 0; font-family: ui-monospace, monospace; }
h3 a { color: inherit; text-decoration: none; }
section { padding: 0 1rem; margin: 0 -1rem 1.5rem; border-left: 3px solid transparent; }
section:target { border-left-color: currentColor; }
section p { margin: 0.25rem 0 0.5rem; }
dl { display: grid; grid-template-columns: 6.5rem 1fr; margin: 0; }
dt { opacity: 0.7; }
dd { margin: 0 0 0.25rem; }
code { font-size: 0.9em; overflow-wrap: anywhere; }
`;
