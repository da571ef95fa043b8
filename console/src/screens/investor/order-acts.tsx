import { Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import { amount as amountOf } from '../../ui/amount.ts';
import { money } from '../../ui/format.tsx';
import { Amend, AmendEnd, againstBefore, useAmendment } from './amend.tsx';
import { Refusal } from './checks.tsx';
import { OrderTermsFields, orderTerms } from './order-terms.tsx';

type Order = Records['Order'];

/** What can be done with an order as it stands. */
export const OrderActs = ({ order }: { order: Order }): ReactNode =>
  order.status === 'OPEN' && (
    <>
      <Amend title="Amend the order" form={(close) => <AmendForm order={order} close={close} />} />{' '}
      <Act
        label="Cancel"
        right="APPROVE"
        danger
        question={`The order of ${money(order.amount)} leaves the book and loses its place in time.`}
        run={() => sent(api.DELETE('/v1/api/investor/orders/{orderId}', { params: { path: { orderId: order.order_id } } }))}
        done="The order is cancelled."
      />
    </>
  );

const asWritten = (value: number | null): string => (value === null ? '' : String(value));

/** Other terms of an order in the book; the gateway checks the order again as it would be. */
function AmendForm({ order, close }: { order: Order; close: () => void }): ReactNode {
  const [written, setWritten] = useState(asWritten(order.amount));
  const [others, setOthers] = useState({ least: asWritten(order.minimum_amount), limit: asWritten(order.limit_yield) });
  const amount = amountOf(written);
  const terms = orderTerms(others);
  const amend = useAmendment(
    (body: Records['ChangeOrder']) =>
      sent(api.PATCH('/v1/api/investor/orders/{orderId}', { params: { path: { orderId: order.order_id } }, body })),
    ({ data }) => `The order is for ${money(data.amount)} now.`,
    close,
  );
  const isSame =
    amount === order.amount && terms?.minimum_amount === order.minimum_amount && terms.limit_yield === order.limit_yield;
  const losesPlace = amount !== undefined && terms && (amount > order.amount || terms.limit_yield !== order.limit_yield);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (amount !== undefined && terms) amend.mutate({ amount, ...terms });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">
          A smaller amount keeps its place in time; a larger one, or another limit, takes the place of this moment.
        </Text>
        <TextInput
          label="Amount (US$)"
          required
          data-autofocus
          inputMode="decimal"
          placeholder="250k or 5m"
          error={amount === undefined ? 'Write an amount, such as 2500000, 250k or 5m.' : null}
          value={written}
          onChange={({ currentTarget }) => {
            setWritten(currentTarget.value);
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
            {againstBefore(amount, order.amount)}
            {isSame ? '' : losesPlace ? '; its place in time becomes that of this moment' : '; it keeps its place in time'}
          </Text>
        )}
        {amend.error && <Refusal error={amend.error} />}
        <AmendEnd close={close} amount={amount} pending={amend.isPending} disabled={amount === undefined || !terms || isSame} />
      </Stack>
    </form>
  );
}
