import { Group, Stack, Text } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Act, ActDialog } from '../../ui/act.tsx';
import { amount as amountOf } from '../../ui/amount.ts';
import { money } from '../../ui/format.tsx';
import { AmountField } from './amount-field.tsx';
import { AmendEnd, againstBefore, useAmendment } from './amend.tsx';
import { Refusal } from './checks.tsx';
import { OrderTermsFields, orderTerms } from './order-terms.tsx';

type Order = Records['Order'];

/** What can be done with an order as it stands. */
export const OrderActs = ({ order }: { order: Order }): ReactNode =>
  order.status === 'OPEN' && (
    <Group gap={6} wrap="nowrap">
      <ActDialog
        label="Amend"
        title="Amend the order"
        right="APPROVE"
        form={(close) => <AmendForm order={order} close={close} />}
      />
      <Act
        label="Cancel"
        right="APPROVE"
        danger
        question={`The order of ${money(order.amount)} leaves the book and loses its place in time.`}
        run={() => sent(api.DELETE('/v1/api/investor/orders/{orderId}', { params: { path: { orderId: order.order_id } } }))}
        done="The order is cancelled."
      />
    </Group>
  );

type Terms = Required<Records['ChangeOrder']>;

/** The terms that are others than before. */
function changed(before: Order, { amount, minimum_amount, limit_yield }: Terms): Records['ChangeOrder'] {
  return {
    ...(amount === before.amount ? {} : { amount }),
    ...(minimum_amount === before.minimum_amount ? {} : { minimum_amount }),
    ...(limit_yield === before.limit_yield ? {} : { limit_yield }),
  };
}

const asWritten = (value: number | null): string => (value === null ? '' : String(value));

/** Other terms of an order in the book; the gateway checks the order again as it would be. */
function AmendForm({ order, close }: { order: Order; close: () => void }): ReactNode {
  // What others change meanwhile is not sent back as it was.
  const [before] = useState(order);
  const [written, setWritten] = useState(asWritten(before.amount));
  const [others, setOthers] = useState({ least: asWritten(before.minimum_amount), limit: asWritten(before.limit_yield) });
  const amount = amountOf(written);
  const terms = orderTerms(others);
  const amend = useAmendment(
    (body: Records['ChangeOrder']) =>
      sent(api.PATCH('/v1/api/investor/orders/{orderId}', { params: { path: { orderId: order.order_id } }, body })),
    ({ data }) => `The order is for ${money(data.amount)} now.`,
    close,
  );
  const changes = amount === undefined || !terms ? {} : changed(before, { amount, ...terms });
  const isSame = Object.keys(changes).length === 0;
  const losesPlace = 'limit_yield' in changes || (changes.amount ?? 0) > before.amount;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isSame) amend.mutate(changes);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">
          A smaller amount keeps its place in time; a larger one, or another limit, takes the place of this moment.
        </Text>
        <AmountField
          filled
          data-autofocus
          written={written}
          write={(next) => {
            setWritten(next);
            amend.reset();
          }}
        />
        <OrderTermsFields
          written={others}
          write={(terms) => {
            setOthers(terms);
            amend.reset();
          }}
        />
        {amount !== undefined && terms && (
          <Text size="sm" role="status">
            {againstBefore(amount, before.amount)}
            {isSame ? '' : losesPlace ? '; its place in time becomes that of this moment' : '; it keeps its place in time'}
          </Text>
        )}
        {amend.error && <Refusal error={amend.error} />}
        <AmendEnd close={close} amount={amount} pending={amend.isPending} disabled={isSame} />
      </Stack>
    </form>
  );
}
