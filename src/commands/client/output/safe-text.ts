/** Characters that move the cursor, recolour, reorder or hide text: those of C0, DEL and C1, marks of direction, separators of lines. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Text of others as one line that a terminal only shows: what it would obey is written out (`\x1b`). */
export function safeText(text: string): string {
  return text.replace(UNSAFE, written);
}

/** The same for text of several lines. */
export function safeLines(text: string): string {
  return text.replace(UNSAFE, (character) => (character === '\n' || character === '\t' ? character : written(character)));
}

/** JSON in which the characters that `JSON.stringify` leaves are escaped, too: it means the same. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (character) =>
    character === '\n' ? character : `\\u${codeOf(character).padStart(4, '0')}`,
  );
}

const codeOf = (character: string): string => character.charCodeAt(0).toString(16);

function written(character: string): string {
  const named = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  const code = codeOf(character);
  return named ?? (code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`);
}
