import { Anchor, Button, Code, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, type QueryOf, type Records, sent, sentTagged } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { FormEnd } from '../../ui/form.tsx';
import { words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Note, Page } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { useRecordForm } from '../../ui/record-form.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Status } from '../../ui/status.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { whenColumn } from '../../ui/columns.tsx';

type Approval = Records['Approval'];
type ActName = Records['ApprovalAct'];

const ACTS: readonly ActName[] = [
  'DEAL_APPROVE',
  'DEAL_REJECT',
  'POOL_ISSUE',
  'ALLOCATE',
  'SETTLE',
  'MARK_PUBLISH',
  'PROFILE_SET',
  'WAIVER',
  'KEY_ISSUE',
  'REMITTANCE_ACCEPT',
  'POLICY_SET',
  'MEMBER_SET',
];

/** Acts that need several people: what waits, and how many people each kind needs. */
export function Approvals(): ReactNode {
  const me = useMe();
  const [token, setToken] = useState<string | null>(null);
  return (
    <Page
      title="Approvals"
      about="Acts that need several people. The last approval performs the act, as it was asked for; one denial ends it."
      acts={<Policy />}
    >
      {token && (
        <Secret
          title="The key that was approved"
          value={token}
          note="It is shown only now: store it where your secrets are."
          close={() => setToken(null)}
        />
      )}
      <RecordList
        name={['approvals']}
        label="Approvals"
        read={(query: QueryOf<'/v1/operator/approvals'>) => sent(api.GET('/v1/operator/approvals', { params: { query } }))}
        filters={[
          choice('mine', 'Wait for me', ['true', 'false']),
          choice('status', 'Status', ['PENDING', 'DONE', 'DENIED', 'EXPIRED', 'FAILED']),
          choice('act', 'Act', ACTS),
        ]}
        columns={columnsOf(me.member_id, setToken)}
        rowKey={({ approval_id }) => approval_id}
        empty="No act waits for several people. The policy says which acts need more than one."
      />
    </Page>
  );
}

const columnsOf = (mine: string, show: (token: string) => void): readonly Column<Approval>[] => [
  whenColumn('created_at', 'Asked for'),
  { id: 'summary', title: 'Act', value: ({ summary }) => summary, cell: (approval) => <Asked approval={approval} /> },
  {
    id: 'requested_by',
    title: 'By',
    value: ({ requested_by }) => requested_by.name ?? requested_by.key_id ?? requested_by.member_id,
  },
  {
    id: 'given',
    title: 'People',
    number: true,
    value: ({ given }) => given,
    cell: ({ given, needed, decisions }) => (
      <span
        title={decisions.map(({ name, decision }) => `${name}: ${words(decision)}`).join(', ')}
      >{`${given} of ${needed}`}</span>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    value: ({ status }) => status,
    cell: ({ status, failure }) => (
      <>
        <Status of={status} />
        {failure && <Text size="xs">{failure.message}</Text>}
      </>
    ),
  },
  whenColumn('expires_at', 'Until'),
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: (approval) =>
      approval.act === 'KEY_ISSUE' && approval.status === 'DONE' && approval.requested_by.member_id === mine ? (
        <Act
          label="Show the key"
          right="ADMIN"
          question="The key is shown once, to you alone, who asked for it."
          run={async () => {
            const params = { path: { approvalId: approval.approval_id } };
            const answer = await sent(api.POST('/v1/operator/approvals/{approvalId}/token', { params }));
            if (answer.data.token) show(answer.data.token);
            return answer;
          }}
          done="The key is shown above."
        />
      ) : (
        approval.status === 'PENDING' &&
        (approval.requested_by.member_id === mine || approval.decisions.some(({ member_id }) => member_id === mine) ? (
          <Text size="xs" c="dimmed">
            Others decide
          </Text>
        ) : (
          <Decide approval={approval} />
        ))
      ),
  },
];

function Decide({ approval }: { approval: Approval }): ReactNode {
  const params = { path: { approvalId: approval.approval_id } };
  const body = (reason: string | undefined) => (reason ? { reason } : {});
  const last = approval.given + 1 >= approval.needed;
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <Act
        label="Approve"
        right="APPROVE"
        question={
          last
            ? `Yours is the last approval: “${approval.summary}” is performed at once.`
            : `“${approval.summary}”: you are number ${approval.given + 1} of ${approval.needed}.`
        }
        reason="optional"
        run={(reason) => sent(api.POST('/v1/operator/approvals/{approvalId}/approve', { params, body: body(reason) }))}
        done={last ? 'Approved and performed.' : 'Approved; others decide after you.'}
      />
      <Act
        label="Deny"
        right="APPROVE"
        question={`“${approval.summary}” is not performed; it has to be asked for again.`}
        reason="optional"
        danger
        run={(reason) => sent(api.POST('/v1/operator/approvals/{approvalId}/deny', { params, body: body(reason) }))}
        done="Denied."
      />
    </Group>
  );
}

/** What exactly was asked for: the request as it will be performed. */
function Asked({ approval }: { approval: Approval }): ReactNode {
  const [open, setOpen] = useState(false);
  const { operation, params, body } = approval.request;
  return (
    <>
      <Anchor component="button" type="button" size="sm" ta="left" aria-expanded={open} onClick={() => setOpen(!open)}>
        {approval.summary}
      </Anchor>
      {open && (
        <Code block fz="xs" mt={4}>
          {`${operation}\n${JSON.stringify({ ...params, ...(body === null || body === undefined ? {} : { body }) }, null, 2)}`}
        </Code>
      )}
    </>
  );
}

function Policy(): ReactNode {
  const me = useMe();
  const [open, { open: show, close }] = useDisclosure(false);
  const policy = useQuery({
    queryKey: ['approval-policy'],
    queryFn: () => sentTagged(api.GET('/v1/operator/approval-policy')),
    enabled: open,
  });
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={show}>
        Policy
      </Button>
      <Modal opened={open} onClose={close} title="How many people an act needs" closeButtonProps={{ 'aria-label': 'Close' }}>
        <Read from={policy}>
          {({ envelope: { data }, tag }) => (
            <Stack gap="sm">
              {data.advice.map((advice) => (
                <Note key={advice}>{advice}</Note>
              ))}
              {can(me, 'ADMIN') ? <PolicyForm acts={data.acts} tag={tag} close={close} /> : <PolicyTable acts={data.acts} />}
            </Stack>
          )}
        </Read>
      </Modal>
    </>
  );
}

const PolicyTable = ({ acts }: { acts: Records['NeededPeople'] }): ReactNode => (
  <Table aria-label="Policy">
    <Table.Tbody>
      {ACTS.map((act) => (
        <Table.Tr key={act}>
          <Table.Td>{words(act)}</Table.Td>
          <Table.Td className="number">{acts[act]}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);

type PolicyProps = { acts: Records['NeededPeople']; tag: string | null; close: () => void };

function PolicyForm({ acts, tag, close }: PolicyProps): ReactNode {
  const { form, submit, meanwhile } = useRecordForm({
    found: { record: acts, tag },
    versionOf: (record) => JSON.stringify(record),
    valuesOf: (record) => ({ acts: record }),
    done: () => 'The policy is set.',
    send: (body, params) => sentTagged(api.PUT('/v1/operator/approval-policy', { params, body })),
    savedIn: ({ data }) => ('acts' in data ? data.acts : null),
    after: close,
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap={6}>
        {ACTS.map((act) => (
          <Group key={act} justify="space-between" wrap="nowrap">
            <Text size="sm" id={`policy-${act}`}>
              {words(act)}
            </Text>
            <NumberField
              size="xs"
              w={72}
              min={1}
              allowDecimal={false}
              max={5}
              aria-labelledby={`policy-${act}`}
              {...form.getInputProps(`acts.${act}`)}
            />
          </Group>
        ))}
        {meanwhile}
        <FormEnd submit={submit} label="Set the policy" close={close} />
      </Stack>
    </form>
  );
}
