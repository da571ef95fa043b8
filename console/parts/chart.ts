import { date, shortMoney } from '../lib/format.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';

export type Series = { name: string; values: readonly number[] };
export type ChartOptions = { title: string; dates: readonly string[]; series: readonly Series[] };

const [HEIGHT, LEFT, BOTTOM, TOP] = [280, 64, 28, 10];
/** Narrower on a phone, so that the labels keep their size. */
const widthNow = (): number => (innerWidth < 700 ? 380 : 760);
const TICKS = 4;

/** Balances over payment dates, stacked: the top series is paid first. */
export const stackedChart = (options: ChartOptions): VNode => h(StackedChart, options);

function StackedChart({ title, dates, series }: ChartOptions): VNode {
  const [at, setAt] = useState<number | null>(null);
  const width = widthNow();
  const layers = stack(series);
  const most = roundUp(Math.max(1, ...(layers.at(-1)?.map(([, to]) => to) ?? [])));
  const x = (index: number): number => LEFT + (index / Math.max(1, dates.length - 1)) * (width - LEFT - 8);
  const y = (value: number): number => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);
  const point = (event: PointerEvent): void => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    const share = (((event.clientX - box.left) / box.width) * width - LEFT) / (width - LEFT - 8);
    setAt(Math.max(0, Math.min(dates.length - 1, Math.round(share * (dates.length - 1)))));
  };
  const shownAt = at ?? 0;
  return html`
    <figure class="chart">
      <svg viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label=${title} onPointerMove=${point} onPointerLeave=${() => setAt(null)}>
        ${Array.from({ length: TICKS + 1 }, (_, tick) => (most / TICKS) * tick).map(
          (value) => html`
            <line class="grid" x1=${LEFT} x2=${width - 8} y1=${y(value)} y2=${y(value)} />
            <text class="tick" x=${LEFT - 8} y=${y(value) + 4} text-anchor="end">${shortMoney(value)}</text>
          `,
        )}
        ${layers.map((layer, index) => html`<path class="area s${series.length - 1 - index}" d=${outline(layer, x, y)} />`)}
        ${ticksOf(dates.length, width).map(
          (index) =>
            html`<text class="tick" x=${x(index)} y=${HEIGHT - 8} text-anchor=${anchor(index, dates.length)}>${date(dates[index])}</text>`,
        )}
        ${at !== null && html`<line class="cursor" x1=${x(at)} x2=${x(at)} y1=${TOP} y2=${HEIGHT - BOTTOM} />`}
      </svg>
      <figcaption>
        <strong>${date(dates[shownAt])}</strong>
        ${series.map(
          (each, index) =>
            html`<span><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="s${index}" width="10" height="10" rx="2" /></svg>${each.name} <b>${shortMoney(each.values[shownAt])}</b></span>`,
        )}
      </figcaption>
    </figure>
  `;
}

type Layer = readonly (readonly [from: number, to: number])[];

/** The last series is at the bottom: in a sequential structure the junior class is paid last. */
function stack(series: readonly Series[]): Layer[] {
  const layers: Layer[] = [];
  let below: readonly number[] = [];
  for (const { values } of series.toReversed()) {
    const from = below;
    layers.push(values.map((value, index) => [from[index] ?? 0, (from[index] ?? 0) + value] as const));
    below = values.map((value, index) => (from[index] ?? 0) + value);
  }
  return layers;
}

function outline(layer: Layer, x: (index: number) => number, y: (value: number) => number): string {
  const at = (value: number, index: number): string => `${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
  const over = layer.map(([, to], index) => at(to, index));
  const under = layer.map(([from], index) => at(from, index)).toReversed();
  return `M${[...over, ...under].join('L')}Z`;
}

/** The next larger amount whose quarters are round. */
function roundUp(value: number): number {
  const size = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8, 10].find((step) => step * size >= value) ?? 10) * size;
}

const ticksOf = (length: number, width: number): number[] =>
  length < 3 || width < 500 ? [0, length - 1] : [0, Math.floor((length - 1) / 3), Math.floor(((length - 1) * 2) / 3), length - 1];
const anchor = (index: number, length: number): string => (index === 0 ? 'start' : index === length - 1 ? 'end' : 'middle');
