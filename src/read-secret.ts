import { readFileSync } from 'node:fs';

/** A secret from its variable, or from the file that NAME_FILE names, which wins; null where there is none. */
export function readSecret(env: Record<string, string | undefined>, name: string, problems: string[]): string | null {
  const file = env[`${name}_FILE`];
  if (!file) return env[name] || null;
  let text = '';
  try {
    text = readFileSync(file, 'utf8').trim();
    if (text === '') problems.push(`${name}_FILE: the file is empty`);
  } catch {
    problems.push(`${name}_FILE: the file cannot be read`);
  }
  return text || null;
}
