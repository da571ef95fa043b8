import { ActionIcon, Group, Menu, Table, Text, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type RefObject, useLayoutEffect, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { saveCsv } from '../ui/export-csv.ts';
import { ICON } from '../ui/icon.ts';
import { numbers } from '../ui/intl.ts';
import { savePng, saveSvg } from './chart-files.ts';
import { type Key, Keys } from './chart-keys.tsx';

/** What a point says when it is pointed at: its name, then line by line. */
export type Reading = readonly [name: string, ...lines: string[]];

type Props = {
  title: string;
  /** What the figures are, such as US$, on which basis, and of when. */
  unit: string;
  header: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
  keys?: readonly Key[];
  /** Of each point that carries `data-at`, in the order of the arrow keys. */
  readings: readonly Reading[];
  /** Where the arrows up and down lead; by default to the point before and after. */
  beside?: (at: number, key: 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight') => number;
  height: number | ((width: number) => number);
  children: (drawing: { width: number; at: number | null }) => ReactNode;
};

const SMALLEST = 280;
/** At the largest as wide as a drawing is on the page. */
const LARGEST = 960;

/** The frame of every chart: title, unit and legend, a reading by pointer and arrow keys, the figures as a table, and files of all of it. */
export function Chart({ title, unit, header, rows, keys = [], readings, beside, height, children }: Props): ReactNode {
  const figure = useRef<HTMLElement>(null);
  const drawing = useRef<SVGSVGElement>(null);
  const { ref, width: measured } = useWidth();
  const { cursor, handlers } = useCursor(drawing, readings.length, beside);
  const width = Math.min(LARGEST, Math.max(SMALLEST, measured));
  const name = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const caption = { title, unit, keys };
  const reading = cursor && readings[cursor.at];
  const tall = typeof height === 'number' ? height : height(width);
  return (
    <figure className="chart" ref={figure}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <figcaption>
          <Text size="sm" fw={600}>
            {title}
          </Text>
          <Text size="xs" c="dimmed">
            {unit}
          </Text>
        </figcaption>
        <Menu position="bottom-end" shadow="md">
          <Menu.Target>
            <Tooltip label="Save or print">
              <ActionIcon variant="subtle" color="gray" aria-label={`Save ${title}`} className="chart-acts">
                <IconDownload {...ICON} />
              </ActionIcon>
            </Tooltip>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => saveCsv(name, header, rows)}>Figures (CSV)</Menu.Item>
            <Menu.Item onClick={() => drawing.current && saveSvg(name, drawing.current, caption)}>Drawing (SVG)</Menu.Item>
            <Menu.Item onClick={() => drawing.current && void savePng(name, drawing.current, caption)}>Picture (PNG)</Menu.Item>
            <Menu.Item onClick={() => figure.current && printAlone(figure.current)}>Print this chart</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {keys.length > 0 && <Keys keys={keys} />}
      <div ref={ref} className="drawing-room" style={{ minHeight: tall }}>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- readings are taken by arrow keys. */}
        <svg
          ref={drawing}
          role="img"
          aria-label={`${title}, in ${unit}. Arrow keys read it.`}
          width={width}
          height={tall}
          className="drawing"
          tabIndex={0}
          {...handlers}
        >
          {children({ width, at: cursor?.at ?? null })}
        </svg>
        {cursor && reading && (
          <div
            className="tip"
            aria-hidden
            style={{
              top: cursor.y,
              ...(cursor.x > width / 2 ? { right: `calc(100% - ${cursor.x - 10}px)` } : { left: cursor.x + 10 }),
            }}
          >
            {reading.map((line, at) => (
              <div key={line} className={at === 0 ? 'tip-name' : ''}>
                {line}
              </div>
            ))}
          </div>
        )}
      </div>
      <p className="unseen" role="status">
        {cursor?.spoken ? reading?.join('; ') : ''}
      </p>
      <Figures title={title} header={header} rows={rows} />
    </figure>
  );
}

/** How wide a drawing can be, known before it is first seen: nothing moves when it is. */
function useWidth(): { ref: RefObject<HTMLDivElement | null>; width: number } {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const room = ref.current;
    if (!room) return;
    const measure = (): void => setWidth(room.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(room);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

type Cursor = { at: number; x: number; y: number; spoken: boolean };
type Handlers = {
  onPointerMove: (event: PointerEvent<SVGSVGElement>) => void;
  onPointerLeave: () => void;
  onBlur: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

/** Which point is read: what is below the pointer, or where the arrow keys have led. */
function useCursor(
  drawing: { current: SVGSVGElement | null },
  points: number,
  beside: Props['beside'],
): { cursor: Cursor | null; handlers: Handlers } {
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const show = (at: number, spoken: boolean): void => {
    const target = drawing.current?.querySelector(`[data-at="${at}"]`)?.getBoundingClientRect();
    const room = drawing.current?.getBoundingClientRect();
    if (target && room) setCursor({ at, spoken, x: target.x + target.width / 2 - room.x, y: Math.max(0, target.y - room.y) });
  };
  const stepped = (key: string): number | null => {
    if (key === 'Home') return 0;
    if (key === 'End') return points - 1;
    if (key !== 'ArrowLeft' && key !== 'ArrowRight' && key !== 'ArrowUp' && key !== 'ArrowDown') return null;
    if (!cursor) return key === 'ArrowLeft' || key === 'ArrowUp' ? points - 1 : 0;
    return beside ? beside(cursor.at, key) : cursor.at + (key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 1);
  };
  const handlers = {
    onPointerMove: ({ target }: PointerEvent<SVGSVGElement>) => {
      const at = target instanceof Element ? target.closest('[data-at]')?.getAttribute('data-at') : null;
      if (at == null) setCursor(null);
      else if (Number(at) !== cursor?.at) show(Number(at), false);
    },
    onPointerLeave: () => setCursor(null),
    onBlur: () => setCursor(null),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape') return setCursor(null);
      const to = stepped(event.key);
      if (to === null || points === 0) return;
      event.preventDefault();
      show(Math.min(points - 1, Math.max(0, to)), true);
    },
  };
  return { cursor: cursor && cursor.at < points ? cursor : null, handlers };
}

/** Of a share, a factor or an index the fourth decimal counts, which a drawing may round. */
const figure = numbers({ maximumFractionDigits: 8 });

/** The figures of a chart; a long one has its rows once somebody opens it. */
function Figures({ title, header, rows }: Pick<Props, 'title' | 'header' | 'rows'>): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Figures as a table</summary>
      {open && (
        <div className="chart-figures">
          <Table aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                {header.map((each, at) => (
                  <Table.Th key={each} className={at > 0 ? 'number' : ''}>
                    {each}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row, index) => (
                <Table.Tr key={`${index} ${row[0]}`}>
                  {row.map((value, at) => (
                    <Table.Td key={header[at]} className={at > 0 ? 'number' : ''}>
                      {typeof value === 'number' ? figure(value) : (value ?? '–')}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </details>
  );
}

/** Prints one chart on a sheet of its own; the style sheet hides what has no part in it. */
function printAlone(figure: HTMLElement): void {
  figure.classList.add('printed');
  addEventListener('afterprint', () => figure.classList.remove('printed'), { once: true });
  window.print();
}
