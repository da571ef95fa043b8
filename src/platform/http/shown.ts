/** Longest text that a message repeats. */
const MOST_CHARACTERS = 60;

/** What may be a credential: a token of three parts, a webhook secret, an authorization, and any long run of characters without a blank. */
const CREDENTIAL = /[\w-]{10,}\.[\w-]{10,}\.|whsec_|^\s*(?:bearer|basic)\s|[\w+/=%-]{40,}/i;

/** Whether a text has a secret that the platform has given: an API key, the secret of a webhook or the token of a recipient. */
export const hasSecret = (text: string): boolean => /\beyJ|whsec_|sluice_share_/.test(text);

/** Control characters, marks that change the direction of text, and characters without a shape. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A text as a message may repeat it: in quotes, shortened, with every invisible character as its number, and never a credential. */
export function shown(text: string): string {
  if (CREDENTIAL.test(text)) return sized(text);
  const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…` : text;
  return `"${visible(short)}"`;
}

/** A text with every invisible character as its number. */
export const visible = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);

/** A text that must not be repeated. */
export const sized = (text: string): string => `a text of ${text.length} ${text.length === 1 ? 'character' : 'characters'}`;

/** A path as a message may repeat it: without its query, and without parts that may be credentials, such as a signed address. */
export function shownPath(url: string): string {
  const path = url.replace(/[?#].*$/s, '');
  const parts = path.split('/').map((part) => (CREDENTIAL.test(part) || part.length > MOST_CHARACTERS ? '…' : part));
  return parts.join('/').replace(INVISIBLE, '').slice(0, 200);
}

/** A character that somebody sees: no blank, no mark of a format, no filler. */
export const VISIBLE = /[^\s\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/u;
