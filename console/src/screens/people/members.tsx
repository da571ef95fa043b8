import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { can, isOperator, RIGHTS, useMe } from '../../app/me.tsx';
import type { Right } from '../../app/session.ts';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { useSubmit, FormEnd } from '../../ui/form.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { statusColumn, whenColumn } from '../../ui/columns.tsx';

type Member = Records['Member'];

/** The people of the organization, what each may do, and invitations. */
export function Members(): ReactNode {
  const me = useMe();
  const operator = isOperator(me);
  return (
    <Page
      title="Members"
      about={`People who sign in for ${me.organization}. Who is invited can sign in with that e-mail address at once.`}
      acts={can(me, 'ADMIN') && <EditMember member={null} />}
    >
      <RecordList
        name={['members']}
        label="Members"
        read={(query: QueryOf<'/v1/operator/members'>) =>
          operator
            ? sent(api.GET('/v1/operator/members', { params: { query } }))
            : sent(api.GET('/v1/api/members', { params: { query } }))
        }
        filters={[choice('status', 'Status', ['INVITED', 'ACTIVE', 'SUSPENDED'])]}
        columns={can(me, 'ADMIN') ? [...COLUMNS, ACTS] : COLUMNS}
        rowKey={({ member_id }) => member_id}
        empty="Nobody is a member yet."
      />
    </Page>
  );
}

const COLUMNS: readonly Column<Member>[] = [
  { id: 'name', title: 'Name', value: ({ name }) => name },
  { id: 'email', title: 'E-mail', value: ({ email }) => email },
  { id: 'rights', title: 'Rights', value: ({ rights }) => rights.join(', ') },
  statusColumn('status', 'Status'),
  whenColumn('last_sign_in_at', 'Last sign-in'),
  whenColumn('created_at', 'Invited', { hidden: true }),
  { id: 'member_id', title: 'Id', hidden: true, value: ({ member_id }) => member_id },
];

const ACTS: Column<Member> = { id: 'acts', title: '', value: () => null, cell: (member) => <MemberActs member={member} /> };

function MemberActs({ member }: { member: Member }): ReactNode {
  const me = useMe();
  const path = { memberId: member.member_id };
  const change = (body: Records['ChangeMember']): Promise<unknown> =>
    isOperator(me)
      ? sent(api.PATCH('/v1/operator/members/{memberId}', { params: { path }, body }))
      : sent(api.PATCH('/v1/api/members/{memberId}', { params: { path }, body }));
  const suspended = member.status === 'SUSPENDED';
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <EditMember member={member} />
      {suspended ? (
        <Act
          label="Resume"
          right="ADMIN"
          question={`${member.name} can sign in again, with the rights from before.`}
          run={() => change({ status: 'ACTIVE' })}
          done={`${member.name} can sign in again.`}
        />
      ) : (
        <Act
          label="Suspend"
          right="ADMIN"
          question={`${member.name} is signed out everywhere within 2 seconds and cannot sign in until resumed.`}
          run={() => change({ status: 'SUSPENDED' })}
          done={`${member.name} is suspended.`}
          danger
        />
      )}
      <Act
        label="Remove"
        right="ADMIN"
        question="The person is signed out everywhere and is no member any more. The audit log keeps the name."
        typed={member.email}
        run={() =>
          isOperator(me)
            ? sent(api.DELETE('/v1/operator/members/{memberId}', { params: { path } }))
            : sent(api.DELETE('/v1/api/members/{memberId}', { params: { path } }))
        }
        done={`${member.name} is no member any more.`}
        danger
      />
    </Group>
  );
}

function EditMember({ member }: { member: Member | null }): ReactNode {
  const [open, { open: show, close }] = useDisclosure(false);
  const label = member ? 'Change' : 'Invite a person';
  return (
    <>
      <Button size="compact-sm" variant={member ? 'default' : 'filled'} onClick={show}>
        {label}
      </Button>
      <Modal
        opened={open}
        onClose={close}
        title={member ? `Change ${member.name}` : label}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <MemberForm member={member} close={close} />
      </Modal>
    </>
  );
}

const NAMES: readonly Right[] = ['ADMIN', 'EDIT', 'APPROVE', 'VIEW'];
const KEPT = new Set(['VIEW']);

function MemberForm({ member, close }: { member: Member | null; close: () => void }): ReactNode {
  const operator = isOperator(useMe());
  const { form, submit } = useSubmit({
    initialValues: { name: member?.name ?? '', email: member?.email ?? '', rights: member?.rights ?? (['VIEW'] as Right[]) },
    done: ({ name }) => (member ? `${name} is changed.` : `${name} is invited.`),
    after: close,
    send: async ({ name, email, rights }) => {
      if (member) {
        const options = { params: { path: { memberId: member.member_id } }, body: { name, rights } };
        return operator
          ? await sent(api.PATCH('/v1/operator/members/{memberId}', options))
          : await sent(api.PATCH('/v1/api/members/{memberId}', options));
      }
      const body = { name, email, rights };
      return operator
        ? await sent(api.POST('/v1/operator/members', { body }))
        : await sent(api.POST('/v1/api/members', { body }));
    },
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="sm">
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        <TextInput
          label="E-mail"
          type="email"
          required
          disabled={member !== null}
          description="As the identity provider has it."
          {...form.getInputProps('email')}
        />
        <Checkbox.Group label="Rights" {...form.getInputProps('rights')}>
          <Stack gap={6} mt={4}>
            {NAMES.map((right) => (
              <Checkbox
                key={right}
                value={right}
                label={`${right}: ${RIGHTS[right]}`}
                disabled={KEPT.has(right) && member === null}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <FormEnd submit={submit} label={member ? 'Save' : 'Invite'} close={close} />
      </Stack>
    </form>
  );
}
