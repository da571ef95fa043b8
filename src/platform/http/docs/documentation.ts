import { Asset } from '../assets.ts';
import type { Json } from '../openapi-components.ts';
import { postmanCollection } from '../postman.ts';
import { toYaml } from '../yaml.ts';
import { readChangelog } from './changelog.ts';
import { type Chapter, Description } from './described.ts';
import { type Guide, guideHtml, readGuides, readVerifier, VERIFIER_PATH } from './guides.ts';
import { llmsText } from './llms.ts';
import { type Beside, chapterPage, indexPage, navigation } from './reference.ts';
import { SCRIPT, STYLE } from './look.ts';
import { htmlPage, SCRIPT_PATH, STYLE_PATH } from './shell.ts';

export const DATA_PATHS = ['/openapi.json', '/openapi.yaml', '/postman.json', '/changelog.json', '/llms.txt'];

/** What the pages are made of: the description, the address of the gateway, and whether it serves the reference. */
export type Sources = { describe: () => Json; publicUrl: () => string; docs: boolean };

/** The pages about the API, each made at its first visit, so that a process whose pages nobody reads does not pay for them. */
export class Documentation {
  readonly #sources: Sources;
  readonly #made = new Map<string, Asset>();
  #pages: Pages | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** The page at a path; null where there is none. */
  at(path: string): Asset | null {
    const known = this.#made.get(path);
    if (known) return known;
    const made = this.#make(path);
    // Only pages that exist are kept: their number has a bound, that of other paths has none.
    if (made) this.#made.set(path, made);
    return made;
  }

  #make(path: string): Asset | null {
    const { describe, publicUrl, docs } = this.#sources;
    const json = (value: unknown): Asset => new Asset('application/json', JSON.stringify(value));
    switch (path) {
      case '/openapi.json':
        return json(describe());
      case '/openapi.yaml':
        return new Asset('application/yaml', toYaml(describe()));
      case '/postman.json':
        return json(postmanCollection(describe(), publicUrl()));
      case '/changelog.json':
        return json({ releases: readChangelog() });
      case '/llms.txt':
        return new Asset('text/plain', llmsText(new Description(describe()), publicUrl(), docs ? readGuides() : []));
      case STYLE_PATH:
        return new Asset('text/css', STYLE);
      case SCRIPT_PATH:
        return new Asset('text/javascript', SCRIPT);
      default:
        return docs ? this.#page(path) : null;
    }
  }

  #page(path: string): Asset | null {
    const { description, chapters, beside, guides } = (this.#pages ??= pagesOf(this.#sources.describe()));
    const html = (text: string): Asset => new Asset('text/html', text);
    if (path === '/docs') return html(indexPage(description, beside));
    if (path === VERIFIER_PATH) return new Asset('text/javascript', readVerifier());
    const chapter = chapters.find(({ slug }) => path === `/docs/reference/${slug}`);
    if (chapter) return html(chapterPage(description, chapter, beside));
    const guide = guides.find(({ href }) => path === href || path === `${href}.md`);
    if (!guide) return null;
    if (path.endsWith('.md')) return new Asset('text/markdown', guide.markdown);
    const nav = navigation(chapters, beside, guide.href);
    return html(htmlPage({ title: guide.title, main: guideHtml(guide), nav, alternate: `${guide.href}.md` }));
  }
}

type Pages = { description: Description; chapters: readonly Chapter[]; guides: readonly Guide[]; beside: Beside };

function pagesOf(described: Json): Pages {
  const description = new Description(described);
  const guides = readGuides();
  const data = DATA_PATHS.map((href) => ({ title: href.slice(1), href }));
  return { description, chapters: description.chapters(), guides, beside: { guides, data } };
}
