import { ActionIcon, Button, Checkbox, NativeSelect, Table, TextInput, Tooltip } from '@mantine/core';
import { IconBraces, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { ICON } from '../../ui/icon.ts';
import { money } from '../../ui/format.tsx';
import { problemsAt, type Problems, replaced, restOf, type Tranche, withField } from './draft.ts';
import { JsonField, TypedField } from '../../ui/typed-field.tsx';
import { type Parsed, textOf, valueOf, wordOf } from '../../ui/value-text.ts';

const COUNTS = ['30/360', '30E/360', 'ACT/360', 'ACT/365', 'ACT/ACT'];
const SHOWN = [
  'tranche',
  'class',
  'balance',
  'coupon',
  'day_count',
  'seniority',
  'rating',
  'offered_yield',
  'final_maturity',
  'denomination',
  'increment',
  'erisa_eligible',
];

type Coupon = NonNullable<Tranche['coupon']>;

/** `5.1` is fixed, `SOFR30A + 58` floats by basis points; everything else of a coupon is JSON. */
function textOfCoupon(value: unknown): string {
  const coupon = value as Coupon | undefined;
  if (!coupon) return '';
  const parts = Object.keys(coupon).length;
  if (coupon.type === 'EXCESS' && parts === 1) return 'EXCESS';
  if (coupon.type === 'FIXED' && parts === 2 && typeof coupon.rate === 'number') return String(coupon.rate);
  if (coupon.type === 'FLOATING' && parts === 3 && typeof coupon.margin_bp === 'number')
    return `${coupon.index} + ${coupon.margin_bp}`;
  return JSON.stringify(coupon);
}

function couponOf(text: string): Parsed {
  const given = text.trim();
  if (given === 'EXCESS') return { value: { type: 'EXCESS' } };
  const floating = /^([\w.-]+)\s*\+\s*(-?\d+(?:\.\d+)?)$/.exec(given);
  if (floating) return { value: { type: 'FLOATING', index: floating[1], margin_bp: Number(floating[2]) } };
  const parsed = valueOf(given);
  if ('problem' in parsed || typeof parsed.value === 'object' || parsed.value === undefined) return parsed;
  if (typeof parsed.value === 'number') return { value: { type: 'FIXED', rate: parsed.value } };
  return { problem: 'Write a rate such as 5.1, an index with a margin in basis points such as SOFR30A + 58, or JSON.' };
}

type Props = { tranches: readonly Tranche[]; set: (tranches: Tranche[]) => void; problems: Problems };

/** The tranches as a table that is typed into; what has no column is kept and edited as JSON below its row. */
export function Tranches({ tranches, set, problems }: Props): ReactNode {
  return (
    <>
      <Table.ScrollContainer minWidth={1180} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label="Tranches" className="table editing">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Tranche</Table.Th>
              <Table.Th>Class</Table.Th>
              <Table.Th>Balance (US$)</Table.Th>
              <Table.Th>Coupon (%, or index + bp)</Table.Th>
              <Table.Th>Day count</Table.Th>
              <Table.Th>Seniority</Table.Th>
              <Table.Th>Rating</Table.Th>
              <Table.Th>Offered yield</Table.Th>
              <Table.Th>Final maturity</Table.Th>
              <Table.Th>Smallest</Table.Th>
              <Table.Th>Step</Table.Th>
              <Table.Th>ERISA</Table.Th>
              <Table.Th>
                <span className="unseen">Acts</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tranches.map((tranche, at) => (
              <Row
                // The place is what a tranche is while its name is typed.
                key={at}
                tranche={tranche}
                at={at}
                problems={problems}
                set={(next) => set(replaced(tranches, at, next))}
                remove={() => set(tranches.filter((_, index) => index !== at))}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Button
        size="compact-sm"
        variant="default"
        mt="xs"
        onClick={() => set([...tranches, { tranche: `T-${tranches.length + 1}`, class: 'B', balance: 0 }])}
      >
        Add a tranche
      </Button>
    </>
  );
}

type RowProps = { tranche: Tranche; at: number; problems: Problems; set: (tranche: Tranche) => void; remove: () => void };

function Row({ tranche, at, problems, set, remove }: RowProps): ReactNode {
  const rest = restOf(tranche, SHOWN);
  const [open, setOpen] = useState(false);
  const path = `tranches[${at}]`;
  const others = problems.filter(
    ({ field }) => field.startsWith(path) && !SHOWN.some((name) => field.startsWith(`${path}.${name}`)),
  );
  const shown = open || Object.keys(rest).length > 0 || others.length > 0;
  const field = (name: keyof Tranche & string, label: string, more: object = {}): ReactNode => (
    <Table.Td>
      <TypedField
        quiet
        label={`${label} of ${tranche.tranche}`}
        value={tranche[name]}
        set={(value) => set(withField(tranche, name, value))}
        problems={problemsAt(problems, `${path}.${name}`)}
        {...more}
      />
    </Table.Td>
  );
  return (
    <>
      <Table.Tr>
        {field('tranche', 'Name', { read: wordOf })}
        {field('class', 'Class', { read: wordOf })}
        {field('balance', 'Balance', {
          write: (value: unknown) => (typeof value === 'number' ? money(value).slice(1) : textOf(value)),
          placeholder: '25m',
        })}
        {field('coupon', 'Coupon', { write: textOfCoupon, read: couponOf })}
        <Table.Td>
          <NativeSelect
            size="xs"
            aria-label={`Day count of ${tranche.tranche}`}
            data={[{ value: '', label: 'Default' }, ...COUNTS.map((value) => ({ value, label: value }))]}
            value={tranche.day_count ?? ''}
            onChange={({ currentTarget }) => set(withField(tranche, 'day_count', currentTarget.value || undefined))}
          />
        </Table.Td>
        {field('seniority', 'Seniority')}
        {field('rating', 'Rating', { read: wordOf })}
        {field('offered_yield', 'Offered yield')}
        <Table.Td>
          <TextInput
            size="xs"
            type="date"
            aria-label={`Final maturity of ${tranche.tranche}`}
            value={tranche.final_maturity ?? ''}
            error={problemsAt(problems, `${path}.final_maturity`).join(' ') || false}
            onChange={({ currentTarget }) => set(withField(tranche, 'final_maturity', currentTarget.value || undefined))}
          />
        </Table.Td>
        {field('denomination', 'Smallest holding')}
        {field('increment', 'Step')}
        <Table.Td>
          <Checkbox
            size="xs"
            aria-label={`${tranche.tranche} may be bought by plans under ERISA`}
            checked={tranche.erisa_eligible ?? false}
            onChange={({ currentTarget }) => set(withField(tranche, 'erisa_eligible', currentTarget.checked || undefined))}
          />
        </Table.Td>
        <Table.Td className="nowrap">
          <Tooltip label="More of the tranche, as JSON">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`More of ${tranche.tranche}`}
              aria-expanded={shown}
              onClick={() => setOpen(!open)}
            >
              <IconBraces {...ICON} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Remove">
            <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${tranche.tranche}`} onClick={remove}>
              <IconTrash {...ICON} />
            </ActionIcon>
          </Tooltip>
        </Table.Td>
      </Table.Tr>
      {shown && (
        <Table.Tr>
          <Table.Td colSpan={13}>
            <JsonField
              label={`More of ${tranche.tranche}`}
              placeholder='{ "interest": "ACCRUE_UNTIL", "accrue_until": ["A-1"] }'
              value={Object.keys(rest).length > 0 ? rest : undefined}
              set={(value) => set(withRest(tranche, value))}
              problems={others.map(({ message }) => message)}
            />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

/** A name or a grade is a word even where it looks like a number. */
function withRest(tranche: Tranche, rest: unknown): Tranche {
  const kept = Object.fromEntries(Object.entries(tranche).filter(([name]) => SHOWN.includes(name)));
  return { ...kept, ...(typeof rest === 'object' ? rest : {}) } as Tranche;
}
