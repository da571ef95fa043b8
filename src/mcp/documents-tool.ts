import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Resources } from './resources.ts';
import type { Arguments } from './to-request.ts';
import { invalidArgument } from './tool-problem.ts';

/** Characters of a document in one result. */
const PART = 12_000;

/** Resources for clients that show none to their model. */
export const READ_DOCUMENT: Tool = {
  name: 'readDocument',
  description:
    'Read a document about the platform in parts: without uri the list of them (guides, loan dictionaries, error codes). sluice://guide/structures is the language of waterfalls, sluice://guide/originator has the rules of selection criteria.',
  inputSchema: {
    type: 'object',
    properties: {
      uri: {
        type: 'string',
        maxLength: 200,
        description: 'Such as sluice://guide/analytics, sluice://dictionary/Auto or sluice://errors/STALE.',
      },
      part: { type: 'integer', minimum: 1, maximum: 1_000, default: 1 },
    },
    required: [],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

/** The list of documents, or a part of one with a note about the others. */
export function readDocument(resources: Resources, { uri, part = 1 }: Arguments): { data: unknown; notes: string[] } {
  if (uri === undefined) return { data: resources.list().map(({ uri: each, title }) => ({ uri: each, title })), notes: [] };
  const found = typeof uri === 'string' ? resources.read(uri) : null;
  if (!found) throw invalidArgument('uri', 'there is no such document; without uri you get the list of them.');
  const parts = Math.max(1, Math.ceil(found.text.length / PART));
  if (typeof part !== 'number' || !Number.isInteger(part) || part < 1 || part > parts)
    throw invalidArgument('part', `the document has the parts 1 to ${parts}.`);
  const notes = part < parts ? [`This is part ${part} of ${parts}: call again with part: ${part + 1} for the next.`] : [];
  return { data: found.text.slice((part - 1) * PART, part * PART).toWellFormed(), notes };
}
