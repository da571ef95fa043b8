import { clientCallOf, curlOf } from './calls.ts';
import type { Body, Chapter, Description, Placed } from './described.ts';
import { escaped, htmlPage, type Link, linkList, paragraphs, prose } from './shell.ts';
import { SchemaTables } from './tables.ts';

const chapterPath = (slug: string): string => `/docs/reference/${slug}`;

/** What the pages show beside the description. */
export type Beside = { guides: readonly Link[]; data: readonly Link[] };

/** The list of pages that stands beside each of them. */
export function navigation(chapters: readonly Chapter[], { guides, data }: Beside, current?: string): string {
  const pages = chapters.map(({ name, slug }) => ({ title: name, href: chapterPath(slug) }));
  return `<h2>Guides</h2>${linkList(guides, current)}<h2>Reference</h2>${linkList([...pages, { title: 'Errors', href: '/docs/errors' }], current)}<h2>As data</h2>${linkList(data)}`;
}

/** The first page: every operation by chapter, and a field that filters them. */
export function indexPage(description: Description, beside: Beside): string {
  const chapters = description.chapters();
  const entry = ({ slug }: Chapter, { operationId, method, path, summary }: Placed): string =>
    `<li><a href="${chapterPath(slug)}#${operationId}">${prose(summary)}</a> <span class="place">${path ? `${method} ${escaped(path)}` : 'webhook'} ${operationId}</span></li>`;
  const part = (chapter: Chapter): string =>
    `<section data-chapter><h2><a href="${chapterPath(chapter.slug)}">${escaped(chapter.name)}</a></h2><p>${prose(chapter.description)}</p><ul class="operations">${chapter.operations.map((each) => entry(chapter, each)).join('\n')}</ul></section>`;
  const { title, description: about } = description.info;
  const main = `<h1>${escaped(title)}</h1>${paragraphs(about)}
<label>Find an operation <input class="filter" type="search" autocomplete="off" placeholder="such as: tape upload, GET pools, approve"></label><p role="status"></p>
${chapters.map(part).join('\n')}`;
  return htmlPage({ title: 'Reference', main, nav: navigation(chapters, beside, '/docs') });
}

/** The operations of one tag, with everything that a request and its response have. */
export function chapterPage(description: Description, chapter: Chapter, beside: Beside): string {
  const tables = new SchemaTables(description);
  const operations = chapter.operations.map((each) => operationPart(description, tables, each));
  const contents = linkList(chapter.operations.map(({ operationId, summary }) => ({ title: summary, href: `#${operationId}` })));
  const main = `<h1>${escaped(chapter.name)}</h1><p>${prose(chapter.description)}</p>${contents}
${operations.join('\n')}
${tables.records()}`;
  const nav = navigation(description.chapters(), beside, chapterPath(chapter.slug));
  return htmlPage({ title: chapter.name, main, nav });
}

function operationPart(description: Description, tables: SchemaTables, operation: Placed): string {
  const { operationId, method, path, summary, description: text = '', parameters } = operation;
  const body = operation.requestBody;
  const place = path === '' ? '' : `<p class="place"><span class="method">${method}</span>${escaped(path)}</p>`;
  return `<section id="${operationId}"><h2><a href="#${operationId}">${prose(summary)}</a></h2>
${place}<p class="place">${operationId}</p>
${paragraphs(text)}
${callPart('curl', curlOf(description, operation))}${callPart('TypeScript client', clientCallOf(description, operation))}
${parameters.length > 0 ? `<h3>Parameters</h3>${tables.parameters(parameters)}` : ''}
${body ? `<h3>Body${body.required ? '' : ' (optional)'}</h3>${body.description ? paragraphs(body.description) : ''}${contentPart(description, tables, body)}` : ''}
${Object.entries(operation.responses).map(responsePart(description, tables)).join('\n')}
</section>`;
}

const callPart = (title: string, call: string | null): string =>
  call === null ? '' : `<details><summary>${title}</summary><pre><code>${escaped(call)}</code></pre></details>`;

const responsePart =
  (description: Description, tables: SchemaTables) =>
  ([status, given]: [string, Body]): string => {
    const response = description.response(given);
    const about = response.description ?? '';
    if (!/^[123]/.test(status) && response.content)
      return `<details><summary>${status}: ${errorCodes(about)}</summary>${paragraphs(about)}</details>`;
    return `<h3>Response ${status}</h3>${paragraphs(about)}${contentPart(description, tables, response)}`;
  };

/** The codes in the description of an error, each with its entry on the page of errors. */
const errorCodes = (about: string): string =>
  [...about.matchAll(/^`([A-Z_]+)`:/gm)]
    .map(([, code = '']) => `<a href="/docs/errors#${code}"><code>${code}</code></a>`)
    .join(' ');

function contentPart(description: Description, tables: SchemaTables, { content = {} }: Body): string {
  return Object.entries(content)
    .map(([type, media]) => {
      if (type !== 'application/json') return `<p>A file of <code>${escaped(type)}</code>.</p>`;
      const example = description.example(media);
      const shown = example === undefined ? '' : callPart('Example', JSON.stringify(example, null, 2));
      return `${tables.body(media.schema)}${shown}`;
    })
    .join('');
}
