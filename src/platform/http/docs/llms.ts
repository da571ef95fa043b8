import type { Description } from './described.ts';
import type { Guide } from './guides.ts';

/** The places of the API for programs that read text: https://llmstxt.org. */
export function llmsText(description: Description, base: string, guides: readonly Guide[]): string {
  const { title, description: about } = description.info;
  const link = (name: string, href: string, text: string): string => `- [${name}](${base}${href}): ${text}`;
  const hasPages = guides.length > 0;
  const chapters = description.chapters().map(({ name, slug, description: text, operations }) => {
    const what = `${text} ${operations.length} ${operations.length === 1 ? 'operation' : 'operations'}.`;
    return hasPages ? link(name, `/docs/reference/${slug}`, what) : `- ${name}: ${what}`;
  });
  const parts = [
    `# ${title}`,
    `> ${about}`,
    'Requests carry `Authorization: Bearer KEY`. Every response is JSON with `success` and `data`, or an error with a stable `code`, `message` and `request_id`.',
    '## Description',
    [
      link('OpenAPI, JSON', '/openapi.json', 'every operation with its schemas, errors and examples, and the webhook messages'),
      link('OpenAPI, YAML', '/openapi.yaml', 'the same'),
      link('Postman collection', '/postman.json', 'every operation with the body of its example'),
      link('Changelog', '/changelog.json', 'releases, sections and their lines'),
    ].join('\n'),
    ...(hasPages
      ? [
          '## Guides',
          [
            ...guides.map((guide) => link(guide.title, `${guide.href}.md`, `the guide \`${guide.name}\``)),
            link('Errors', '/docs/errors.md', 'every code, when it occurs and what to do'),
          ].join('\n'),
        ]
      : []),
    '## Reference',
    chapters.join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}
