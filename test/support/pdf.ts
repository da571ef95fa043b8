import { execFileSync } from 'node:child_process';
import { inflateSync } from 'node:zlib';

/** The text of each page of a PDF whose fonts have a ToUnicode map, in the order in which it was drawn; a line for each text. */
export function textOfPages(pdf: Buffer): string[] {
  const source = pdf.toString('latin1');
  const objects = new Map<string, string>();
  for (const [, id = '', body = ''] of source.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) objects.set(id, body);
  const streamOf = (id: string): string => {
    const body = objects.get(id) ?? '';
    const at = body.indexOf('stream\n');
    const bytes = Buffer.from(body.slice(at + 7, body.lastIndexOf('\nendstream')), 'latin1');
    return (/\/FlateDecode/.test(body) ? inflateSync(bytes) : bytes).toString('latin1');
  };
  const reference = (body: string, name: string): string => new RegExp(`/${name} (\\d+) 0 R`).exec(body)?.[1] ?? '';
  const maps = new Map<string, Map<number, string>>();
  const fontMap = (id: string): Map<number, string> => {
    const map = maps.get(id) ?? unicodeMap(streamOf(reference(objects.get(id) ?? '', 'ToUnicode')));
    maps.set(id, map);
    return map;
  };
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\n/.test(body));
  return pages.map((page) => {
    const resources = objects.get(reference(page, 'Resources')) ?? '';
    const fonts = new Map([...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', id = '']) => [name, fontMap(id)]));
    let font = new Map<number, string>();
    const lines: string[] = [];
    for (const [, name, shown] of streamOf(reference(page, 'Contents')).matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
      if (name) font = fonts.get(name) ?? font;
      else lines.push([...(shown ?? '').matchAll(/<([0-9a-f]+)>/gi)].map(([, hex = '']) => decode(hex, font)).join(''));
    }
    return lines.join('\n');
  });
}

const decode = (hex: string, font: ReadonlyMap<number, string>): string =>
  (hex.match(/.{4}/g) ?? []).map((code) => font.get(Number.parseInt(code, 16)) ?? '\ufffd').join('');

/** Glyph → text, from ranges of the form `<0000> <00ff> [<0041> …]`. */
function unicodeMap(cmap: string): Map<number, string> {
  const map = new Map<number, string>();
  for (const [, from = '', , list = ''] of cmap.matchAll(/<([0-9a-f]+)> <([0-9a-f]+)> \[([^\]]*)\]/gi))
    for (const [index, [, hex = '']] of [...list.matchAll(/<([0-9a-f ]*)>/gi)].entries())
      map.set(Number.parseInt(from, 16) + index, Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'));
  return map;
}

/** Why pages are not rendered, or false. */
export const withoutRenderer = ((): string | false => {
  try {
    execFileSync('pdftoppm', ['-v'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'skipped: there is no pdftoppm on this machine';
  }
})();

/** The pages as pictures: width, height and a byte of grey for each point. */
export function renderPages(pdf: Buffer, dpi = 50): { width: number; height: number; grey: Buffer }[] {
  const out = execFileSync('pdftoppm', ['-gray', '-r', String(dpi), '-'], { input: pdf, maxBuffer: 2 ** 28 });
  const pages: { width: number; height: number; grey: Buffer }[] = [];
  for (let at = 0; at < out.length; ) {
    const head = /^P5\s(\d+) (\d+)\s255\s/.exec(out.subarray(at, at + 40).toString('latin1'));
    if (!head) throw new Error('not a picture');
    const [width, height] = [Number(head[1]), Number(head[2])];
    const start = at + head[0].length;
    pages.push({ width, height, grey: out.subarray(start, start + width * height) });
    at = start + width * height;
  }
  return pages;
}

/** The words of each page with the rectangles that they cover, in points. */
export function wordsOfPages(pdf: Buffer): { word: string; left: number; right: number; top: number; bottom: number }[][] {
  const out = execFileSync('pdftotext', ['-bbox', '-', '-'], { input: pdf, maxBuffer: 2 ** 28 }).toString();
  return out
    .split('<page ')
    .slice(1)
    .map((page) =>
      [...page.matchAll(/<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)<\/word>/g)].map(
        ([, left, top, right, bottom, word = '']) => ({
          word,
          left: Number(left),
          right: Number(right),
          top: Number(top),
          bottom: Number(bottom),
        }),
      ),
    );
}
