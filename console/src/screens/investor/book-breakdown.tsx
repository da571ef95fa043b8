import { Group, SegmentedControl, Stack } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import type { Column } from '../../ui/column.ts';
import { money } from '../../ui/format.tsx';
import { percent, price, years } from '../../ui/format-market.ts';
import { Part } from '../../ui/page.tsx';
import { SaveRows } from '../../ui/save-rows.tsx';
import { DataTable } from '../../ui/table.tsx';
import { Figure, type Result } from './book-figure.tsx';
import { TrancheName } from './names.tsx';

const KINDS = { positions: 'Positions', by_class: 'Class', by_asset_type: 'Assets', by_originator: 'Originator' } as const;
type Kind = keyof typeof KINDS;
const KIND_NAMES: readonly Kind[] = ['positions', 'by_class', 'by_asset_type', 'by_originator'];

const MEASURES = {
  market_value: { title: 'Market value', unit: ' (US$)', format: money },
  price: { title: 'Price', unit: '', format: price },
  wal: { title: 'Average life', unit: '', format: years },
  principal: { title: 'Principal', unit: ' (US$)', format: money },
  interest: { title: 'Interest', unit: ' (US$)', format: money },
  writedown: { title: 'Written down', unit: ' (US$)', format: money },
} as const;
type Measure = keyof typeof MEASURES;
const OF_ALL: readonly Measure[] = ['market_value', 'principal', 'interest', 'writedown'];
const OF_POSITIONS: readonly Measure[] = ['market_value', 'price', 'wal', 'principal', 'interest', 'writedown'];

/** A position or a group: one measure of it in each scenario. */
type Row = {
  key: string;
  name: string;
  tranche?: { deal_id: string; tranche_id: string; class: string; yield: number | null };
  position_count?: number;
  figures: readonly (number | null)[];
};

/** What is behind the book: one measure of each position, or of each group of them, in every scenario. */
export function Breakdown({ results }: { results: readonly Result[] }): ReactNode {
  const [values, set] = useAddress();
  const kind = KIND_NAMES.find((each) => each === values.rows) ?? 'positions';
  const measures = kind === 'positions' ? OF_POSITIONS : OF_ALL;
  const measure = measures.find((each) => each === values.measure) ?? 'market_value';
  const rows = useMemo(() => rowsOf(results, kind, measure), [results, kind, measure]);
  const columns = useMemo(() => columnsOf(results, kind, measure), [results, kind, measure]);
  const label = `${MEASURES[measure].title} by scenario`;
  return (
    <Part title="Behind the book" about="Below each figure its difference to the first scenario.">
      <Stack gap="xs">
        <Group gap="sm">
          <SegmentedControl
            aria-label="Rows"
            size="xs"
            data={KIND_NAMES.map((value) => ({ value, label: KINDS[value] }))}
            value={kind}
            onChange={(next) => set({ rows: next })}
          />
          <SegmentedControl
            aria-label="Measure"
            size="xs"
            data={measures.map((value) => ({ value, label: MEASURES[value].title }))}
            value={measure}
            onChange={(next) => set({ measure: next })}
          />
        </Group>
        <DataTable
          key={`${kind} ${measure}`}
          label={label}
          columns={columns}
          rows={rows}
          rowKey={({ key }) => key}
          whole
          tools={<SaveRows label={label} columns={columns} rows={rows} />}
        />
      </Stack>
    </Part>
  );
}

function rowsOf(results: readonly Result[], kind: Kind, measure: Measure): Row[] {
  if (kind === 'positions') {
    const found = results.map(({ positions }) => new Map((positions ?? []).map((each) => [each.tranche_id, each])));
    return (results[0]?.positions ?? []).map(({ deal_id, tranche_id, tranche, class: name, yield: rate }) => ({
      key: tranche_id,
      name: tranche,
      tranche: { deal_id, tranche_id, class: name, yield: rate },
      figures: found.map((each) => each.get(tranche_id)?.[measure] ?? null),
    }));
  }
  const of = measure === 'price' || measure === 'wal' ? 'market_value' : measure;
  const found = results.map((result) => new Map(result[kind].map((each) => [each.name, each])));
  return (results[0]?.[kind] ?? []).map(({ name, position_count }) => ({
    key: name,
    name,
    position_count,
    figures: found.map((each) => each.get(name)?.[of] ?? null),
  }));
}

function columnsOf(results: readonly Result[], kind: Kind, measure: Measure): readonly Column<Row>[] {
  const { unit, format } = MEASURES[measure];
  const first: readonly Column<Row>[] =
    kind === 'positions'
      ? [
          {
            id: 'tranche',
            title: 'Tranche',
            value: ({ name }) => name,
            cell: ({ name, tranche }) =>
              tranche ? <TrancheName deal_id={tranche.deal_id} tranche_id={tranche.tranche_id} held /> : name,
          },
          { id: 'class', title: 'Class', value: ({ tranche }) => tranche?.class },
          {
            id: 'yield',
            title: 'Yield of the mark',
            number: true,
            value: ({ tranche }) => tranche?.yield,
            cell: ({ tranche }) => percent(tranche?.yield),
          },
        ]
      : [
          { id: 'name', title: KINDS[kind], value: ({ name }) => name },
          { id: 'position_count', title: 'Positions', number: true, value: (row) => row.position_count },
        ];
  return [
    ...first,
    ...results.map(
      ({ scenario }, at): Column<Row> => ({
        id: `${measure} ${scenario}`,
        title: `${scenario}${unit}`,
        number: true,
        value: ({ figures }) => figures[at],
        cell: ({ figures }) => <Figure of={figures[at] ?? null} from={at > 0 ? (figures[0] ?? null) : null} format={format} />,
      }),
    ),
  ];
}
