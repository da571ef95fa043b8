import { Stack, Text } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Act, ActDialog } from '../../ui/act.tsx';
import { amount as amountOf } from '../../ui/amount.ts';
import { money } from '../../ui/format.tsx';
import { AmountField } from './amount-field.tsx';
import { AmendEnd, againstBefore, useAmendment } from './amend.tsx';
import { Checks, Refusal } from './checks.tsx';

type Subscription = Records['Subscription'];

const CANCELLABLE = ['pending_confirmation', 'confirmed'];

/** What can be done with a subscription as it stands. */
export const SubscriptionActs = ({ subscription }: { subscription: Subscription }): ReactNode => (
  <>
    {subscription.status === 'pending_confirmation' && (
      <ActDialog
        label="Amend"
        title="Amend the subscription"
        right="APPROVE"
        form={(close) => <AmendForm subscription={subscription} close={close} />}
      />
    )}
    {CANCELLABLE.includes(subscription.status) && (
      <Act
        label="Cancel"
        right="APPROVE"
        danger
        question={`The commitment of ${money(subscription.subscription_amount)} ends, and its capacity goes to others.`}
        run={() =>
          sent(
            api.POST('/v1/api/investor/subscriptions/{subscriptionId}/cancel', {
              params: { path: { subscriptionId: subscription.subscription_id } },
              body: {},
            }),
          )
        }
        done="The subscription is cancelled."
      />
    )}
  </>
);

/** Another amount, with the checks of the change while it is typed. */
function AmendForm({ subscription, close }: { subscription: Subscription; close: () => void }): ReactNode {
  const { subscription_id, subscription_amount: before, deal_id, tranche_id } = subscription;
  const [written, setWritten] = useState('');
  const amount = amountOf(written);
  const amend = useAmendment(
    (subscription_amount: number) =>
      sent(
        api.PATCH('/v1/api/investor/subscriptions/{subscriptionId}', {
          params: { path: { subscriptionId: subscription_id } },
          body: { subscription_amount },
        }),
      ),
    ({ data }) => `The subscription is for ${money(data.subscription_amount)} now.`,
    close,
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (amount !== undefined) amend.mutate(amount);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">
          It is for {money(before)}. A smaller amount keeps its place in time and frees the difference at once; a larger one takes
          the place of this moment.
        </Text>
        <AmountField
          label="New amount (US$)"
          data-autofocus
          written={written}
          write={(next) => {
            setWritten(next);
            amend.reset();
          }}
        />
        {amount !== undefined && (
          <>
            <Text size="sm" role="status">
              {againstBefore(amount, before)}
            </Text>
            <Checks dealId={deal_id} trancheId={tranche_id} subscriptionId={subscription_id} amount={amount} />
          </>
        )}
        {amend.error && <Refusal error={amend.error} />}
        <AmendEnd close={close} amount={amount} pending={amend.isPending} disabled={amount === undefined || amount === before} />
      </Stack>
    </form>
  );
}
