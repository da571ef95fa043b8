import { Button, List, Table, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { count, Day, money, share, shortMoney } from '../../ui/format.tsx';
import { percent, termRate, years } from '../../ui/format-market.ts';
import { To } from '../../ui/link.tsx';
import { Loading, Part } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Status } from '../../ui/status.tsx';

type Deal = Records['MarketDeal'];
type Explained = Records['DealStructure']['explanation'];

const ROWS: readonly [name: string, value: (deal: Deal) => ReactNode][] = [
  ['Originator', ({ originator }) => originator],
  ['Assets', ({ asset_type }) => asset_type],
  ['Market status', ({ market_status }) => <Status of={market_status} />],
  ['Size', ({ dealSize }) => shortMoney(dealSize)],
  [
    'Yield',
    ({ wa_yield, wa_yield_coverage }) =>
      wa_yield_coverage === 0
        ? '–'
        : `${percent(wa_yield)}${wa_yield_coverage < 1 ? `, known of ${share(wa_yield_coverage, 1)} of the face` : ''}`,
  ],
  ['Average life', ({ wal }) => years(wal)],
  ['Minimum', ({ minimum_investment }) => money(minimum_investment)],
  ['Tranches', ({ tranches }) => <Tranches of={tranches} />],
  ['Pool', ({ strats }) => (strats ? `${count(strats.loan_count)} loans, ${shortMoney(strats.balance)}` : '–')],
  ['Average rate of the loans', ({ strats }) => percent(strats?.wac)],
  ['Average term left', ({ strats }) => (strats?.wam == null ? '–' : `${Math.round(strats.wam)} months`)],
  ['Closing', ({ closing_date }) => <Day at={closing_date} />],
];

const Tranches = ({ of }: { of: Deal['tranches'] }): ReactNode => (
  <List size="xs" listStyleType="none" spacing={4}>
    {of.map(({ tranche_id, tranche, rating, coupon, wal, remaining_capacity }) => (
      <List.Item key={tranche_id}>
        <b>{tranche}</b> {rating ?? 'unrated'}, {termRate(coupon)} coupon, {years(wal)}, {money(remaining_capacity)} left
      </List.Item>
    ))}
  </List>
);

/** Key terms in the words of the structure. */
const TERMS: readonly [name: string, value: (explained: Explained) => readonly { text: string }[]][] = [
  ['Payment', ({ payment }) => payment.map((text) => ({ text }))],
  ['Triggers', ({ triggers }) => triggers],
  ['Calls', ({ calls }) => calls],
  ['Fees', ({ fees }) => fees],
];

const Sentences = ({ of }: { of: readonly { text: string }[] }): ReactNode =>
  of.length === 0 ? (
    'None'
  ) : (
    <List size="xs" listStyleType="none" spacing={4}>
      {of.map(({ text }) => (
        <List.Item key={text}>{text}</List.Item>
      ))}
    </List>
  );

/** Deals side by side: what they are, what they offer, and their key terms. */
export function Compared({ ids, clear }: { ids: readonly string[]; clear: () => void }): ReactNode {
  const results = useQueries({
    queries: ids.map((dealId) => ({
      queryKey: ['market', dealId],
      queryFn: () => sent(api.GET('/v1/api/investor/deals/{dealId}', { params: { path: { dealId } } })),
    })),
  });
  const structures = useQueries({
    queries: ids.map((dealId) => ({
      queryKey: ['market', dealId, 'structure'],
      queryFn: () => sent(api.GET('/v1/api/investor/deals/{dealId}/structure', { params: { path: { dealId } } })),
    })),
  });
  const pending = [...results, ...structures].some(({ isPending }) => isPending);
  // Without a structure a deal has no terms to compare, and the rest is compared all the same.
  const failed = results.find(({ data, error }) => !data && error);
  return (
    <Part
      title="Side by side"
      acts={
        <Button size="compact-sm" variant="default" onClick={clear}>
          Clear
        </Button>
      }
    >
      {failed && <Problem error={failed.error} retry={() => void failed.refetch()} />}
      {/* Nothing below it moves while it is read. */}
      <div className="compared">
        {pending ? (
          <Loading />
        ) : (
          <Table.ScrollContainer minWidth={200 + ids.length * 220} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table aria-label="Side by side" layout="fixed">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>
                    <span className="unseen">What</span>
                  </Table.Th>
                  {results.map(({ data }, at) => (
                    <Table.Th key={ids[at]} scope="col">
                      {data ? (
                        <To to="/market/$dealId" params={{ dealId: data.data.deal_id }} size="sm">
                          {data.data.name}
                        </To>
                      ) : (
                        '–'
                      )}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {ROWS.map(([name, value]) => (
                  <Table.Tr key={name}>
                    <Table.Th scope="row">
                      <Text size="xs">{name}</Text>
                    </Table.Th>
                    {results.map(({ data }, at) => (
                      <Table.Td key={ids[at]}>{data ? value(data.data) : '–'}</Table.Td>
                    ))}
                  </Table.Tr>
                ))}
                {TERMS.map(([name, value]) => (
                  <Table.Tr key={name}>
                    <Table.Th scope="row">
                      <Text size="xs">{name}</Text>
                    </Table.Th>
                    {structures.map(({ data }, at) => (
                      <Table.Td key={ids[at]}>{data ? <Sentences of={value(data.data.explanation)} /> : '–'}</Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </div>
    </Part>
  );
}
