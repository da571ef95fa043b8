import { Button, Modal, MultiSelect, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { choice, type Filter, text } from '../../ui/filters.tsx';
import { FormEnd, useSubmit } from '../../ui/form.tsx';
import { Id, words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { LIFE } from './life-columns.tsx';
import { Recipients } from './recipients.tsx';
import { Secret } from '../../ui/secret.tsx';

type Key = Records['ApiKey'];
type Shown = { title: string; token: string };

/** Of the list in the cache. */
const NAME = ['keys'];

const STATUS = choice('status', 'Status', ['ACTIVE', 'EXPIRED', 'REVOKED']);
const OPERATOR_FILTERS: readonly Filter[] = [
  STATUS,
  text('organization_id', 'Organization', 'org_…'),
  choice('rotation_requested', 'Rotation wanted', ['true', 'false']),
];

/** Keys of programs: the operator issues, rotates and revokes them; an organization sees its own. */
export function Keys(): ReactNode {
  const operator = isOperator(useMe());
  const [shown, setShown] = useState<Shown | null>(null);
  // Below a list that is not there yet it would move when that comes.
  const listed = useIsListed();
  const columns = operator ? [ORGANIZATION, ...COLUMNS, actsOf(setShown)] : [...COLUMNS, ASK];
  return (
    <Page
      title="Keys"
      about={
        operator
          ? 'A key is shown once, when it is issued.'
          : 'Keys of your programs. The operator issues, rotates and revokes them.'
      }
      acts={operator && <IssueKey show={setShown} />}
    >
      {shown && (
        <Secret
          title={shown.title}
          value={shown.token}
          note="It is shown only now: store it where your secrets are."
          close={() => setShown(null)}
        />
      )}
      <RecordList
        name={NAME}
        label="Keys"
        read={(query: QueryOf<'/v1/operator/keys'>) =>
          operator
            ? sent(api.GET('/v1/operator/keys', { params: { query } }))
            : sent(api.GET('/v1/api/keys', { params: { query } }))
        }
        filters={operator ? OPERATOR_FILTERS : [STATUS]}
        columns={columns}
        rowKey={({ key_id }) => key_id}
        empty="No key has been issued: the operator of the platform issues the first one."
      />
      {!operator && listed && <Recipients />}
    </Page>
  );
}

function useIsListed(): boolean {
  const client = useQueryClient();
  useIsFetching({ queryKey: NAME });
  return useDeferredValue(client.getQueriesData({ queryKey: NAME }).some(([, data]) => data !== undefined));
}

const ORGANIZATION: Column<Key> = { id: 'organization', title: 'Organization', value: ({ organization }) => organization };
const COLUMNS: readonly Column<Key>[] = [
  { id: 'key_id', title: 'Key', value: ({ key_id }) => key_id, cell: ({ key_id }) => <Id of={key_id} /> },
  { id: 'label', title: 'Label', value: ({ label }) => label },
  {
    id: 'role',
    title: 'Role',
    value: ({ role }) => role,
    cell: ({ role, environment }) => `${words(role)}, ${words(environment)}`,
  },
  { id: 'scopes', title: 'Scopes', value: ({ scopes }) => scopes?.join(' ') ?? 'all of its role' },
  { id: 'networks', title: 'Networks', hidden: true, value: ({ networks }) => networks?.join(' ') ?? 'any' },
  ...LIFE,
  {
    id: 'rotation',
    title: 'Rotation wanted',
    hidden: true,
    value: ({ rotation_reason, rotation_requested_at }) => rotation_requested_at && (rotation_reason ?? 'yes'),
  },
  { id: 'requester', title: 'Requester', hidden: true, value: ({ requester }) => requester },
  { id: 'use_case', title: 'Use case', hidden: true, value: ({ use_case }) => use_case },
];

const ASK: Column<Key> = {
  id: 'acts',
  title: '',
  value: () => null,
  cell: ({ key_id, status, rotation_requested_at }) =>
    status === 'ACTIVE' &&
    (rotation_requested_at ? (
      'Rotation asked for'
    ) : (
      <Act
        label="Ask for rotation"
        right="ADMIN"
        question="The operator is told, and gives you the next key; this one works until then."
        reason="optional"
        run={(reason) =>
          sent(
            api.POST('/v1/api/keys/{keyId}/rotation-requests', {
              params: { path: { keyId: key_id } },
              body: reason ? { reason } : {},
            }),
          )
        }
        done="The operator is told."
      />
    )),
};

const actsOf = (show: (shown: Shown) => void): Column<Key> => ({
  id: 'acts',
  title: '',
  value: () => null,
  cell: ({ key_id, organization, status }) =>
    status === 'ACTIVE' && <KeyActs keyId={key_id} organization={organization} show={show} />,
});

function KeyActs({
  keyId,
  organization,
  show,
}: {
  keyId: string;
  organization: string;
  show: (shown: Shown) => void;
}): ReactNode {
  const path = { keyId };
  return (
    <Button.Group>
      <Act
        label="Rotate"
        right="ADMIN"
        question="A new key is issued with the same role, scopes and networks; this one works for one more day."
        run={async () => {
          const answer = await sent(api.POST('/v1/operator/keys/{keyId}/rotate', { params: { path }, body: {} }));
          if ('token' in answer.data && answer.data.token)
            show({ title: `The next key of ${organization}`, token: answer.data.token });
          return answer;
        }}
        done="The key is rotated."
      />
      <Act
        label="Revoke"
        right="ADMIN"
        question="Programs with this key are refused within 2 seconds. It cannot be undone."
        typed={keyId.slice(-6)}
        reason="optional"
        danger
        run={(reason) => sent(api.POST('/v1/operator/keys/{keyId}/revoke', { params: { path }, body: reason ? { reason } : {} }))}
        done="The key is revoked."
      />
    </Button.Group>
  );
}

function IssueKey({ show }: { show: (shown: Shown) => void }): ReactNode {
  const [open, { open: ask, close }] = useDisclosure(false);
  return (
    <>
      <Button size="compact-sm" onClick={ask}>
        Issue a key
      </Button>
      <Modal opened={open} onClose={close} title="Issue a key" closeButtonProps={{ 'aria-label': 'Close' }}>
        <KeyForm show={show} close={close} />
      </Modal>
    </>
  );
}

const ROLES = ['originator', 'investor', 'both', 'operator'] as const;
const ENVIRONMENTS = ['development', 'staging', 'production'] as const;

function KeyForm({ show, close }: { show: (shown: Shown) => void; close: () => void }): ReactNode {
  const me = useMe();
  const scopes = useScopes();
  const role: Records['Role'] = 'originator';
  const { form, submit } = useSubmit({
    initialValues: {
      organization: '',
      role,
      environment: me.environment,
      requester: me.name,
      use_case: '',
      label: '',
      scopes: [] as Records['Scope'][],
      networks: [] as string[],
    },
    done: ({ organization }) => `A key of ${organization} is issued.`,
    send: ({ label, scopes: narrowed, networks, ...rest }) =>
      sent(
        api.POST('/v1/operator/keys', {
          body: {
            ...rest,
            ...(label ? { label } : {}),
            ...(narrowed.length > 0 ? { scopes: narrowed } : {}),
            ...(networks.length > 0 ? { networks } : {}),
          },
        }),
      ),
    after: ({ data }) => {
      if ('token' in data && data.token) show({ title: `The key of ${data.organization}`, token: data.token });
      close();
    },
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="sm">
        <TextInput
          label="Organization"
          description="A name that is new makes a new organization."
          required
          data-autofocus
          {...form.getInputProps('organization')}
        />
        <Select
          label="Role"
          required
          allowDeselect={false}
          data={ROLES.map((value) => ({ value, label: words(value) }))}
          {...form.getInputProps('role')}
        />
        <Select
          label="Environment"
          required
          allowDeselect={false}
          data={ENVIRONMENTS.map((value) => ({ value, label: words(value) }))}
          {...form.getInputProps('environment')}
        />
        <TextInput label="Requester" required {...form.getInputProps('requester')} />
        <TextInput label="Use case" required {...form.getInputProps('use_case')} />
        <TextInput
          label="Label"
          description="To tell it from others, such as the program that has it."
          {...form.getInputProps('label')}
        />
        <MultiSelect
          label="Scopes"
          description="None: everything that its role may."
          searchable
          data={scopes}
          {...form.getInputProps('scopes')}
        />
        <TagsInput
          label="Networks"
          description="Addresses from which it works, such as 192.0.2.0/24; none: any."
          {...form.getInputProps('networks')}
        />
        <FormEnd submit={submit} label="Issue the key" close={close} />
      </Stack>
    </form>
  );
}

/** The scopes that the API's description names. */
function useScopes(): string[] {
  const { data } = useQuery({
    queryKey: ['scopes'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<string[]> => {
      const response = await fetch('/openapi.json');
      const description = (await response.json()) as { components: { schemas: { Scope: { enum: string[] } } } };
      return description.components.schemas.Scope.enum;
    },
  });
  return data ?? [];
}
