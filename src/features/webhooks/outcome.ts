import type { PostResult as Outcome } from '../../platform/net/sender.ts';

/** Characters of an answer that the log of attempts keeps. */
const EXCERPT_CHARACTERS = 1_024;

export type Verdict = {
  status: 'DELIVERED' | 'FAILED';
  http_status: number | null;
  error: string | null;
  excerpt: string | null;
};

/** What an attempt means: 2xx within the time is DELIVERED, everything else FAILED with a word for why. */
export function judge(outcome: Outcome): Verdict {
  const { http_status, error } = outcome;
  const delivered = error === null && http_status !== null && http_status >= 200 && http_status < 300;
  const redirect = http_status !== null && http_status >= 300 && http_status < 400;
  return {
    status: delivered ? 'DELIVERED' : 'FAILED',
    http_status,
    error: delivered ? null : (error ?? (redirect ? 'redirect' : 'http_status')),
    excerpt: excerptOf(outcome.body),
  };
}

/** The answer's beginning as text that every column and console can hold. */
function excerptOf(body: Buffer): string | null {
  if (body.length === 0) return null;
  const text = body
    .subarray(0, 4 * EXCERPT_CHARACTERS)
    .toString('utf8')
    .toWellFormed();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced.
  // oxlint-disable-next-line no-control-regex
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd')
    .slice(0, EXCERPT_CHARACTERS)
    .toWellFormed();
}
