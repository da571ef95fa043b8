import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dictionary } from '../loans/dictionary/dictionary.ts';
import { LOAN_TYPES } from '../loans/types.ts';
import { ERROR_GUIDE } from '../platform/http/error-guide.ts';
import { errorsMarkdown } from '../platform/http/error-pages.ts';
import { ERRORS, type ErrorCode } from '../platform/http/errors.ts';
import type { Route } from '../platform/http/route.ts';
import { type DescribeApi, documentOf } from './api-description.ts';

const GUIDES = fileURLToPath(new URL('../../docs/guide/', import.meta.url));
const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';

export type Resource = { uri: string; name: string; title: string; description: string; mimeType: string };
export type Text = { uri: string; mimeType: string; text: string };

/** Documents of one kind: their address with a name in it, the names, and the text of each. */
type Kind = {
  scheme: string;
  variable: string;
  title: string;
  description: string;
  mimeType: string;
  /** Whether each document is in the list of resources. */
  listed: boolean;
  names: readonly string[];
  titleOf(name: string): string;
  read(name: string): string;
};

/** What a model reads about the platform, its words and its languages; nothing in it belongs to an organization. */
export class Resources {
  readonly #kinds: readonly Kind[];

  constructor(routes: readonly Route[], describeApi: DescribeApi) {
    this.#kinds = [guides(), dictionaries(), errorCodes(), operations(routes, describeApi)];
  }

  list(): Resource[] {
    const documents = this.#kinds.flatMap((kind) =>
      kind.listed
        ? kind.names.map((name) => ({
            uri: `${kind.scheme}${encodeURIComponent(name)}`,
            name: `${kind.title.toLowerCase()}: ${name}`,
            title: kind.titleOf(name),
            description: kind.description,
            mimeType: kind.mimeType,
          }))
        : [],
    );
    return [...documents, ALL_ERRORS];
  }

  templates(): { uriTemplate: string; name: string; title: string; description: string; mimeType: string }[] {
    return this.#kinds.map(({ scheme, variable, title, description, mimeType }) => ({
      uriTemplate: `${scheme}{${variable}}`,
      name: title.toLowerCase(),
      title,
      description,
      mimeType,
    }));
  }

  /** Null where there is no such document. */
  read(uri: string): Text | null {
    if (uri === ALL_ERRORS.uri) return { uri, mimeType: MARKDOWN, text: errorsMarkdown() };
    for (const { scheme, names, mimeType, read } of this.#kinds) {
      const name = names.find((each) => [`${scheme}${each}`, `${scheme}${encodeURIComponent(each)}`].includes(uri));
      if (name !== undefined) return { uri, mimeType, text: read(name) };
    }
    return null;
  }

  /** The names that a template takes, of those that begin so. */
  complete(uriTemplate: string, beginning: string): string[] {
    const kind = this.#kinds.find(({ scheme, variable }) => `${scheme}{${variable}}` === uriTemplate);
    return kind?.names.filter((name) => name.toLowerCase().startsWith(beginning.toLowerCase())) ?? [];
  }
}

function guides(): Kind {
  const read = (name: string): string => readFileSync(join(GUIDES, `${name}.md`), 'utf8');
  return {
    scheme: 'sluice://guide/',
    variable: 'name',
    title: 'Guide',
    description:
      'A guide: structures is the language of waterfalls, originator has the rules of selection criteria, analytics and investor the calculations.',
    mimeType: MARKDOWN,
    listed: true,
    names: globSync('*.md', { cwd: GUIDES })
      .map((file) => basename(file, '.md'))
      .sort(),
    titleOf: (name) => /^# (.+)$/m.exec(read(name))?.[1] ?? name,
    read,
  };
}

const dictionaries = (): Kind => ({
  scheme: 'sluice://dictionary/',
  variable: 'loan_type',
  title: 'Loan dictionary',
  description:
    'The canonical fields of loans of a type: units, ranges, words and the names that tapes have for them. Rules and strats name these fields.',
  mimeType: JSON_TYPE,
  listed: true,
  names: LOAN_TYPES,
  titleOf: (name) => `Fields of ${name} loans`,
  read: (name) => JSON.stringify(LOAN_TYPES.filter((type) => type === name).flatMap(dictionary)),
});

const ALL_ERRORS: Resource = {
  uri: 'sluice://errors',
  name: 'error codes',
  title: 'Error codes',
  description: 'Every error code of the API: when it comes, and what to do.',
  mimeType: MARKDOWN,
};

const errorCodes = (): Kind => ({
  scheme: 'sluice://errors/',
  variable: 'code',
  title: 'Error code',
  description: 'One error code: when it comes, and what to do.',
  mimeType: MARKDOWN,
  listed: false,
  names: Object.keys(ERRORS),
  titleOf: (name) => name,
  read: (name) => {
    const code = name as ErrorCode;
    const [status, sentence] = ERRORS[code];
    return `# ${code} (${status})\n\n${sentence}\n\nWhen: ${ERROR_GUIDE[code].when}\n\nWhat to do: ${ERROR_GUIDE[code].remedy}\n`;
  },
});

const operations = (routes: readonly Route[], describeApi: DescribeApi): Kind => ({
  scheme: 'sluice://operations/',
  variable: 'operation',
  title: 'Operation',
  description:
    'The OpenAPI description of one operation with every schema that it refers to, such as that of a structure (setPoolStructure) or of a rule (createCriteriaSet).',
  mimeType: JSON_TYPE,
  listed: false,
  names: routes.map((route) => route.operation),
  titleOf: (name) => name,
  read: (name) =>
    JSON.stringify(routes.filter((route) => route.operation === name).map((route) => documentOf(describeApi(), route))[0]),
});
