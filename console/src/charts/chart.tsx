import { ActionIcon, Group, Menu, Table, Text, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useRef, type ReactNode } from 'react';
import { save, saveCsv } from '../ui/export-csv.ts';
import { ICON } from '../ui/icon.ts';

type Props = {
  title: string;
  /** What the figures are, such as US$, and of when. */
  unit: string;
  header: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
  children: ReactNode;
};

/** The frame of every chart: its title and unit, the same figures as a table, and files of both. */
export function Chart({ title, unit, header, rows, children }: Props): ReactNode {
  const figure = useRef<HTMLElement>(null);
  const name = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const drawing = (): SVGSVGElement | null => figure.current?.querySelector('svg[role=img]') ?? null;
  return (
    <figure className="chart" ref={figure}>
      <Group justify="space-between" wrap="nowrap">
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
            <Tooltip label="Save">
              <ActionIcon variant="subtle" color="gray" aria-label={`Save ${title}`}>
                <IconDownload {...ICON} />
              </ActionIcon>
            </Tooltip>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => saveCsv(name, header, rows)}>Figures (CSV)</Menu.Item>
            <Menu.Item onClick={() => drawing() && save(`${name}.svg`, svgOf(drawing()))}>Drawing (SVG)</Menu.Item>
            <Menu.Item onClick={() => void savePng(name, drawing())}>Picture (PNG)</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {children}
      <details>
        <summary>Figures as a table</summary>
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
            {rows.map((row) => (
              <Table.Tr key={row.join(' ')}>
                {row.map((value, at) => (
                  <Table.Td key={header[at]} className={at > 0 ? 'number' : ''}>
                    {typeof value === 'number' ? value.toLocaleString('en-US') : (value ?? '–')}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </details>
    </figure>
  );
}

const COPIED = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-size', 'font-family', 'text-anchor', 'opacity'];

/** The drawing with the colours that it has on the page: a file knows no style sheet. */
function svgOf(drawing: SVGSVGElement | null): Blob {
  if (!drawing) return new Blob([]);
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const [from, to] = [
    [drawing, ...drawing.querySelectorAll('*')],
    [copy, ...copy.querySelectorAll('*')],
  ];
  for (const [at, element] of from.entries()) {
    const style = getComputedStyle(element);
    for (const property of COPIED) to[at]?.setAttribute(property, style.getPropertyValue(property));
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' });
}

const SHARPNESS = 2;

async function savePng(name: string, drawing: SVGSVGElement | null): Promise<void> {
  if (!drawing) return;
  const { width, height } = drawing.getBoundingClientRect();
  const image = new Image();
  image.src = URL.createObjectURL(svgOf(drawing));
  await image.decode();
  const canvas = new OffscreenCanvas(width * SHARPNESS, height * SHARPNESS);
  const context = canvas.getContext('2d');
  if (!context) return;
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  save(`${name}.png`, await canvas.convertToBlob({ type: 'image/png' }));
}
