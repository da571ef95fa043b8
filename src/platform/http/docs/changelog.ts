import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../../../CHANGELOG.md', import.meta.url));

export type Release = { version: string; sections: { title: string; lines: string[] }[] };

export const readChangelog = (): readonly Release[] => parseChangelog(readFileSync(FILE, 'utf8'));

/** `## version`, `### section` and its list, whose entries may have further lines. Text that is none of these is refused, not dropped. */
export function parseChangelog(markdown: string): readonly Release[] {
  const releases: Release[] = [];
  for (const line of markdown.split('\n').filter((each) => each.trim() !== '' && !each.startsWith('# '))) {
    const release = releases.at(-1);
    const section = release?.sections.at(-1);
    const last = section?.lines.length ?? 0;
    if (line.startsWith('## ')) releases.push({ version: line.slice(3).trim(), sections: [] });
    else if (line.startsWith('### ') && release) release.sections.push({ title: line.slice(4).trim(), lines: [] });
    else if (line.startsWith('- ') && section) section.lines.push(line.slice(2).trim());
    else if (line.startsWith(' ') && section && last > 0) section.lines[last - 1] += ` ${line.trim()}`;
    else throw new Error(`the changelog has a line that belongs to no entry: ${line}`);
  }
  return releases;
}
