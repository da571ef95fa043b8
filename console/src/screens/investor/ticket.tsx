import { Button, Group, Select, SegmentedControl, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import { amount as amountOf } from '../../ui/amount.ts';
import { Day, money } from '../../ui/format.tsx';
import { percent, termPrice, termRate, years } from '../../ui/format-market.ts';
import { Facts } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { AmountField } from './amount-field.tsx';
import { Checks } from './checks.tsx';
import { type OrderTerms, OrderTermsFields, orderTerms } from './order-terms.tsx';
import { useOwnAttempts } from '../../ui/own-attempts.ts';

type Deal = Records['MarketDeal'];
type Kind = 'subscription' | 'order' | 'indication';

const KINDS: { value: Kind; label: string }[] = [
  { value: 'subscription', label: 'Subscribe' },
  { value: 'order', label: 'Order' },
  { value: 'indication', label: 'Indicate' },
];
const WHAT: Record<Kind, string> = {
  subscription:
    'A commitment at the offered terms: it waits for the operator’s confirmation, and can be cancelled until the books close.',
  order: 'A bid in the tranche’s book: it is filled when the books are allocated, and takes no capacity until then.',
  indication: 'An interest in the deal that binds nobody.',
};

/** One ticket for every way into a deal; the checks run as one types, and nothing is placed before it is confirmed. */
export function Ticket({ deal }: { deal: Deal }): ReactNode {
  const [kind, setKind] = useState<Kind>('subscription');
  const [trancheId, setTrancheId] = useState(deal.tranches[0]?.tranche_id ?? '');
  const [written, setWritten] = useState('');
  const [others, setOthers] = useState({ least: '', limit: '' });
  const tranche = deal.tranches.find(({ tranche_id }) => tranche_id === trancheId);
  const amount = amountOf(written);
  return (
    <Stack gap="sm" maw={560}>
      <SegmentedControl
        aria-label="Kind"
        data={KINDS}
        value={kind}
        onChange={(value) => setKind(KINDS.find((each) => each.value === value)?.value ?? kind)}
      />
      <Text size="sm" c="dimmed">
        {WHAT[kind]}
      </Text>
      {kind !== 'indication' && (
        <Select
          label="Tranche"
          allowDeselect={false}
          data={deal.tranches.map(({ tranche_id, tranche: name, rating, remaining_capacity }) => ({
            value: tranche_id,
            label: `${name}, ${rating ?? 'unrated'}, ${money(remaining_capacity)} left`,
          }))}
          value={trancheId}
          onChange={(value) => setTrancheId(value ?? trancheId)}
        />
      )}
      {tranche && kind !== 'indication' && (
        <Facts
          facts={[
            ['Coupon', termRate(tranche.coupon)],
            ['Yield at the mark', percent(tranche.yield)],
            ['Price at the mark', termPrice(tranche.price)],
            ['Average life', years(tranche.wal)],
            ['Closing', <Day key="closing" at={deal.closing_date} />],
          ]}
        />
      )}
      <AmountField
        description={
          tranche && kind !== 'indication'
            ? `At least ${money(tranche.denomination)}, in steps of ${money(tranche.increment)}${kind === 'subscription' ? `; ${money(tranche.remaining_capacity)} are left` : ''}.`
            : null
        }
        written={written}
        write={setWritten}
      />
      {amount !== undefined && (
        <Text size="sm" role="status">
          {money(amount)}
        </Text>
      )}
      {kind === 'order' && <OrderTermsFields written={others} write={setOthers} />}
      {amount !== undefined && kind === 'subscription' && <Checks dealId={deal.deal_id} trancheId={trancheId} amount={amount} />}
      {amount !== undefined && (
        <Place
          deal={deal}
          kind={kind}
          trancheId={trancheId}
          tranche={tranche?.tranche ?? ''}
          amount={amount}
          terms={orderTerms(others)}
          indicated={() => setWritten('')}
        />
      )}
    </Stack>
  );
}

type PlaceProps = {
  deal: Deal;
  kind: Kind;
  trancheId: string;
  tranche: string;
  amount: number;
  terms: OrderTerms | undefined;
  /** An indication was placed. */
  indicated: () => void;
};

const DONE: Record<Kind, string> = {
  subscription: 'Subscribed. The operator confirms it.',
  order: 'The order is in the book.',
  indication: 'The indication is placed.',
};

function Place({ deal, kind, trancheId, tranche, amount, terms, indicated }: PlaceProps): ReactNode {
  const params = { path: { dealId: deal.deal_id } };
  const label = KINDS.find(({ value }) => value === kind)?.label ?? '';
  if (kind === 'indication') return <Indicate deal={deal} amount={amount} after={indicated} />;
  return (
    <Group justify="flex-end">
      <Act
        label={label}
        right="APPROVE"
        disabled={kind === 'order' && !terms && 'The least fill or the limit yield cannot be read.'}
        question={`${money(amount)} of ${tranche} in ${deal.name}. ${WHAT[kind]}`}
        run={() =>
          kind === 'subscription'
            ? sent(
                api.POST('/v1/api/investor/deals/{dealId}/subscribe', {
                  params,
                  body: { subscription_amount: amount, tranche_id: trancheId },
                }),
              )
            : sent(
                api.POST('/v1/api/investor/deals/{dealId}/orders', {
                  params,
                  body: { tranche_id: trancheId, amount, ...terms },
                }),
              )
        }
        done={DONE[kind]}
      />
    </Group>
  );
}

/** What binds nobody is placed without a question, and its amount is taken away: a deal has one live indication, and another one is refused. */
function Indicate({ deal, amount, after }: { deal: Deal; amount: number; after: () => void }): ReactNode {
  const client = useQueryClient();
  const ofForm = useOwnAttempts();
  const place = useMutation({
    mutationFn: () =>
      ofForm(() =>
        sent(
          api.POST('/v1/api/investor/deals/{dealId}/ioi', {
            params: { path: { dealId: deal.deal_id } },
            body: { interest_amount: amount },
          }),
        ),
      ),
    onSuccess: () => {
      notifications.show({ color: 'teal', message: DONE.indication });
      void client.invalidateQueries();
      after();
    },
  });
  return (
    <>
      {place.error && <Problem error={place.error} />}
      <Group justify="flex-end">
        <Button loading={place.isPending} onClick={() => place.mutate()}>
          Indicate
        </Button>
      </Group>
    </>
  );
}
