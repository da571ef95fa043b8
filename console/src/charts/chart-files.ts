import { save } from '../ui/export-csv.ts';
import type { Key } from './chart-keys.tsx';

const COPIED = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'font-size',
  'font-family',
  'font-weight',
  'font-variant-numeric',
  'text-anchor',
  'opacity',
];
const SVG = 'http://www.w3.org/2000/svg';
const [MARGIN, TITLE, LINE, KEY, SHARPNESS] = [16, 18, 18, 7, 2];

export type Caption = { title: string; unit: string; keys: readonly Key[] };

/** The drawing as a file of its own: with its title, unit and legend, and the colours that it has on the page, since a file knows no style sheet. */
export function saveSvg(name: string, drawing: SVGSVGElement, caption: Caption): void {
  save(`${name}.svg`, svgOf(drawing, caption).blob);
}

export async function savePng(name: string, drawing: SVGSVGElement, caption: Caption): Promise<void> {
  const { blob, width, height } = svgOf(drawing, caption);
  const image = new Image();
  image.src = URL.createObjectURL(blob);
  await image.decode();
  const canvas = new OffscreenCanvas(width * SHARPNESS, height * SHARPNESS);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  save(`${name}.png`, await canvas.convertToBlob({ type: 'image/png' }));
}

function svgOf(drawing: SVGSVGElement, { title, unit, keys }: Caption): { blob: Blob; width: number; height: number } {
  const { width: drawn, height: tall } = drawing.getBoundingClientRect();
  const copy = styled(drawing);
  const page = getComputedStyle(document.body);
  const whole = document.createElementNS(SVG, 'svg');
  const lines: [text: string, color: string, size: number, weight: string][] = [
    [title, page.color, 14, '600'],
    [unit, page.color, 12, '400'],
  ];
  const { placed, rows } = placedKeys(keys, drawn);
  const head = MARGIN + lines.length * TITLE + rows * LINE;
  const [width, height] = [drawn + 2 * MARGIN, head + tall + MARGIN];
  const add = (tag: string, attributes: Record<string, string | number>, text = ''): void => {
    const element = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    element.textContent = text;
    whole.append(element);
  };
  const font = { 'font-family': page.fontFamily };
  whole.setAttribute('width', String(width));
  whole.setAttribute('height', String(height));
  add('rect', { width, height, fill: page.backgroundColor });
  for (const [at, [text, fill, size, weight]] of lines.entries())
    add('text', { ...font, x: MARGIN, y: MARGIN + 10 + at * TITLE, fill, 'font-size': size, 'font-weight': weight }, text);
  for (const { name, look, dashed, x, row } of placed) {
    const y = MARGIN + lines.length * TITLE + row * LINE + 8;
    const dash = dashed ? { 'stroke-dasharray': '5 4' } : {};
    const stroke = look.color === 'currentColor' ? page.color : look.color;
    add('line', { x1: MARGIN + x, x2: MARGIN + x + 22, y1: y, y2: y, stroke, 'stroke-width': 3, ...dash });
    add('text', { ...font, x: MARGIN + x + 28, y: y + 4, fill: page.color, 'font-size': 12 }, name);
  }
  copy.setAttribute('x', String(MARGIN));
  copy.setAttribute('y', String(head));
  whole.append(copy);
  const blob = new Blob([new XMLSerializer().serializeToString(whole)], { type: 'image/svg+xml' });
  return { blob, width, height };
}

function styled(drawing: SVGSVGElement): SVGSVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const [from, to] = [
    [drawing, ...drawing.querySelectorAll('*')],
    [copy, ...copy.querySelectorAll('*')],
  ];
  for (const [at, element] of from.entries()) {
    const style = getComputedStyle(element);
    for (const property of COPIED) to[at]?.setAttribute(property, style.getPropertyValue(property));
  }
  for (const attribute of ['tabindex', 'class', 'role']) copy.removeAttribute(attribute);
  return copy;
}

function placedKeys(keys: readonly Key[], width: number): { placed: (Key & { x: number; row: number })[]; rows: number } {
  let [x, row] = [0, 0];
  const placed = keys.map((key) => {
    const room = 44 + key.name.length * KEY;
    if (x > 0 && x + room > width) [x, row] = [0, row + 1];
    const at = { ...key, x, row };
    x += room;
    return at;
  });
  return { placed, rows: keys.length === 0 ? 0 : row + 1 };
}
