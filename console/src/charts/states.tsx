import { scaleQuantize } from 'd3-scale';
import type { ReactNode } from 'react';
import { Chart, type Reading } from './chart.tsx';

/** What a state has; null where the measure is not known for it. */
export type StateValue = { state: string; value: number | null; reading: readonly string[] };

/** One square for each state, about where it lies: small states are as easy to read as large ones. */
const LAYOUT = [
  'AK .. .. .. .. .. .. .. .. .. .. ME',
  '.. .. .. .. .. .. .. .. .. .. VT NH',
  '.. WA ID MT ND MN IL WI MI NY RI MA',
  '.. OR NV WY SD IA IN OH PA NJ CT ..',
  '.. CA UT CO NE MO KY WV VA MD DE ..',
  '.. .. AZ NM KS AR TN NC SC DC .. ..',
  '.. .. .. .. OK LA MS AL GA .. .. ..',
  'HI .. .. .. TX .. .. .. .. FL .. ..',
].map((row) => row.split(' '));
const [COLUMNS, ROWS] = [12, LAYOUT.length];
const PLACES = new Map(
  LAYOUT.flatMap((row, y) => row.map((state, x): [string, Place] => [state, { x, y }])).filter(([state]) => state !== '..'),
);
type Place = { x: number; y: number };

/** From little to much, as light to dark, which every kind of colour vision sees; letters are white on the dark ones. */
const SHADES = ['#deebf7', '#9ecae1', '#6baed6', '#2171b5', '#08306b'];
const LIGHT_SHADES = 3;
const [LARGEST, WITH_FIGURES, GAP, LEGEND, EXTRA] = [56, 40, 3, 44, 112];

type Props = {
  title: string;
  unit: string;
  /** What the figure is called in the table. */
  measure: string;
  values: readonly StateValue[];
  /** As short as it fits into a square. */
  format: (value: number) => string;
  /** Amounts begin at zero; averages where the smallest is. */
  fromZero: boolean;
};

/** The states as a map of squares, the darker the more; what is no state stands below it. */
export function States({ title, unit, measure, values, format, fromZero }: Props): ReactNode {
  const known = values.flatMap((each) => (PLACES.has(each.state) && each.value !== null ? [each.value] : []));
  const [low, high] = [fromZero ? 0 : Math.min(...known, Number.MAX_VALUE), Math.max(...known, 0)];
  const shade = scaleQuantize<string>()
    .domain([low, high > low ? high : low + 1])
    .range(SHADES);
  const places = placesOf(values);
  const cellOf = (width: number): number => Math.min(LARGEST, width / COLUMNS);
  const extraRows = Math.max(0, ...places.map(({ y }) => y)) + 1 - ROWS;
  return (
    <Chart
      title={title}
      unit={unit}
      header={['State', measure]}
      rows={values.map(({ state, value }) => [state, value])}
      readings={values.map(({ state, reading }): Reading => [state, ...reading])}
      beside={(at, key) => nearest(places, at, key)}
      height={(width) => cellOf(width) * (ROWS + Math.max(0, extraRows)) + LEGEND + (extraRows > 0 ? GAP * 4 : 0)}
    >
      {({ width, at: read }) => {
        const cell = cellOf(width);
        return (
          <>
            {[...PLACES].map(([state, { x, y }]) => (
              <g key={state}>
                <rect className="tile-empty" x={x * cell} y={y * cell} width={cell - GAP} height={cell - GAP} rx="3" />
                <text
                  className="tick"
                  x={x * cell + (cell - GAP) / 2}
                  y={y * cell + (cell - GAP) / 2}
                  dy="0.32em"
                  textAnchor="middle"
                >
                  {values.some((each) => each.state === state) ? '' : state}
                </text>
              </g>
            ))}
            {values.map((each, at) => {
              const place = places[at];
              return (
                place && (
                  <Tile
                    key={each.state}
                    of={each}
                    at={at}
                    read={at === read}
                    place={place}
                    cell={cell}
                    shade={shade}
                    format={format}
                  />
                )
              );
            })}
            <Scale top={cell * (ROWS + Math.max(0, extraRows)) + 14} shade={shade} format={format} />
          </>
        );
      }}
    </Chart>
  );
}

type Shade = ((value: number) => string) & { invertExtent: (shade: string) => [number, number] };
type TileProps = { of: StateValue; at: number; read: boolean; place: Place; cell: number; shade: Shade; format: Props['format'] };

function Tile({ of: { state, value }, at, read, place, cell, shade, format }: TileProps): ReactNode {
  const isState = PLACES.has(state);
  const [width, height] = [(isState ? cell : EXTRA) - GAP, cell - GAP];
  const [x, y] = [isState ? place.x * cell : place.x * EXTRA, place.y * cell + (isState ? 0 : GAP * 3)];
  const fill = value === null || !isState ? 'none' : shade(value);
  const ink = fill === 'none' ? 'var(--mantine-color-text)' : SHADES.indexOf(fill) < LIGHT_SHADES ? '#000' : '#fff';
  const figured = (cell >= WITH_FIGURES || !isState) && value !== null;
  const middle = x + width / 2;
  return (
    <g data-at={at} className={read ? 'read' : ''}>
      <rect className={isState ? 'tile' : 'tile-other'} x={x} y={y} width={width} height={height} rx="3" fill={fill} />
      <text x={middle} y={y + height / 2 - (figured && isState ? 7 : 0)} dy="0.32em" textAnchor="middle" fill={ink}>
        {isState ? state : `${state} ${figured ? format(value) : ''}`}
      </text>
      {figured && isState && (
        <text x={middle} y={y + height / 2 + 9} dy="0.32em" textAnchor="middle" fill={ink}>
          {format(value)}
        </text>
      )}
    </g>
  );
}

const [SWATCH, SWATCH_HEIGHT] = [54, 10];

/** What the shades mean, and what an empty square does. */
const Scale = ({ top, shade, format }: { top: number; shade: Shade; format: Props['format'] }): ReactNode => (
  <g>
    {SHADES.map((each, at) => (
      <g key={each}>
        <rect x={at * SWATCH} y={top} width={SWATCH} height={SWATCH_HEIGHT} fill={each} className="tile" />
        <text className="tick" x={at * SWATCH} y={top + 24}>
          {format(shade.invertExtent(each)[0])}
        </text>
      </g>
    ))}
    <text className="tick" x={SHADES.length * SWATCH} y={top + 24} textAnchor="middle">
      {format(shade.invertExtent(SHADES.at(-1) ?? '')[1])}
    </text>
  </g>
);

/** States where they lie, and what is no state in rows below, two in each. */
function placesOf(values: readonly StateValue[]): Place[] {
  let others = 0;
  return values.map(({ state }) => {
    const place = PLACES.get(state);
    if (place) return place;
    others += 1;
    return { x: (others - 1) % 2, y: ROWS + Math.floor((others - 1) / 2) };
  });
}

const WAYS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] } as const;

/** The next square with a figure on the way of the arrow; the same where there is none. */
function nearest(places: readonly Place[], at: number, key: keyof typeof WAYS): number {
  const from = places[at];
  const [x, y] = WAYS[key];
  if (!from) return at;
  const ahead = places.flatMap((place, index) => {
    const along = (place.x - from.x) * x + (place.y - from.y) * y;
    const across = Math.abs((place.x - from.x) * y) + Math.abs((place.y - from.y) * x);
    return along > 0 ? [{ index, far: along + 3 * across }] : [];
  });
  return ahead.toSorted((one, other) => one.far - other.far)[0]?.index ?? at;
}
