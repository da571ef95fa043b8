import { type Command, InvalidArgumentError, Option } from 'commander';
import { platformActor } from '../platform/http/platform-actor.ts';
import { RIGHTS, type Right } from '../platform/http/member-rights.ts';
import type { Page } from '../platform/pages.ts';
import { asId, type Id } from '../platform/ids.ts';
import type { Tx } from '../platform/db/database.ts';
import type { MemberRow } from '../features/members/member.ts';
import type { Runtime } from '../runtime.ts';

const COMMAND_LINE = platformActor('command line');

type Means = {
  withRuntime(work: (runtime: Runtime) => Promise<void>): Promise<void>;
  printJson(value: unknown): void;
  printNewest(page: Page<unknown>): void;
};

/** `sluice members …`: each command is one operation in the platform's scope. */
export function addMemberCommands(program: Command, means: Means): void {
  const members = program.command('members').description('add, list, change and remove the people of an organization');
  addAdd(members, means);
  addOthers(members, means);
}

const rights = (): Option => new Option('--rights <right...>', 'what the member may do').choices([...RIGHTS]);

function addAdd(members: Command, { withRuntime, printJson }: Means): void {
  members
    .command('add')
    .description('add a person, who signs in with this address')
    .requiredOption('--organization <name>', 'name of the organization')
    .requiredOption('--email <address>', 'address with which the person signs in')
    .option('--name <name>', 'what people call the member (default: the address, until the first sign-in)', name)
    .addOption(rights().makeOptionMandatory())
    .action((options: { organization: string; email: string; name?: string; rights: Right[] }) =>
      withRuntime(async (runtime) => {
        const { addMember } = await import('../features/members/change-members.ts');
        const { memberEmail } = await import('../features/members/member.ts');
        const { email } = options;
        const called = options.name ?? memberEmail(email) ?? email;
        const added = await runtime.db.tx({ platform: true }, async (tx) => {
          const organization_id = await organizationNamed(tx, options.organization);
          return addMember(tx, COMMAND_LINE, { organization_id, email, name: called, rights: options.rights });
        });
        printJson(shown(added));
      }),
    );
}

function addOthers(members: Command, { withRuntime, printJson, printNewest }: Means): void {
  const actOn = (memberId: string, act: Act): Promise<void> =>
    withRuntime(async (runtime) => {
      const operations = await import('../features/members/change-members.ts');
      const changed = await runtime.db.tx({ platform: true }, async (tx) =>
        act(operations, tx, await memberWithId(tx, memberId)),
      );
      printJson(shown(changed));
    });
  members
    .command('list')
    .description('list the people of an organization, or of all')
    .option('--organization <name>', 'name of the organization (default: all)')
    .action((options: { organization?: string }) =>
      withRuntime(async (runtime) => {
        const { listMembers } = await import('../features/members/queries.ts');
        const { mapPage } = await import('../platform/pages.ts');
        const page = await runtime.db.tx({ platform: true }, async (tx) => {
          const organizationId = options.organization === undefined ? null : await organizationNamed(tx, options.organization);
          return listMembers(tx, organizationId, { page: 1, limit: 1_000 });
        });
        printNewest(mapPage(page, shown));
      }),
    );
  members
    .command('change <member-id>')
    .description('change the name, the rights or the status of a person')
    .option('--name <name>', 'what people call the member', name)
    .addOption(rights())
    .addOption(
      new Option('--status <status>', 'SUSPENDED signs the member out; ACTIVE ends a suspension').choices([
        'ACTIVE',
        'SUSPENDED',
      ]),
    )
    .action((memberId: string, change: { name?: string; rights?: Right[]; status?: 'ACTIVE' | 'SUSPENDED' }) =>
      actOn(memberId, ({ changeMember }, tx, member) => changeMember(tx, COMMAND_LINE, { ...member, change })),
    );
  members
    .command('invite-again <member-id>')
    .description('sign a person out and find them by their address at the next sign-in, after a change of identity provider')
    .action((memberId: string) => actOn(memberId, ({ inviteAgain }, tx, member) => inviteAgain(tx, COMMAND_LINE, member)));
  members
    .command('remove <member-id>')
    .description('remove a person; their sessions end at once')
    .action((memberId: string) => actOn(memberId, ({ removeMember }, tx, member) => removeMember(tx, COMMAND_LINE, member)));
}

type NamedMember = Pick<MemberRow, 'member_id' | 'organization_id'>;
type Act = (of: typeof import('../features/members/change-members.ts'), tx: Tx, member: NamedMember) => Promise<MemberRow>;

async function memberWithId(tx: Tx, memberId: string): Promise<NamedMember> {
  const { findMember } = await import('../features/members/queries.ts');
  const found = await findMember(tx, asId('mem', memberId));
  if (!found) throw new Error(`there is no member ${memberId}: members list shows them`);
  return { member_id: found.member_id, organization_id: found.organization_id };
}

/** An organization by its name, in its own spelling; a name that looks like it is told. */
async function organizationNamed(tx: Tx, asked: string): Promise<Id<'org'>> {
  const { findOrganizationByName, findOrganizationBySkeleton } = await import('../features/keys/queries.ts');
  const { normalizeName, skeletonsOf } = await import('../features/keys/organization-name.ts');
  const found = (await findOrganizationByName(tx, asked)) ?? (await findOrganizationByName(tx, normalizeName(asked)));
  if (!found) {
    const alike = await findOrganizationBySkeleton(tx, skeletonsOf(asked));
    throw new Error(
      alike
        ? `there is no organization "${asked}"; one is called "${alike.name}"`
        : `there is no organization "${asked}": its first key makes it (keys issue)`,
    );
  }
  if (found.roles.length === 0)
    throw new Error(`${found.name} has no role yet, and its members could do nothing: issue its first key (keys issue)`);
  return found.organization_id;
}

/** What the API shows of a member, and its organization. */
const shown = ({ member_id, organization, email, name, rights, status, invited_by, created_at, last_sign_in_at }: MemberRow) => ({
  member_id,
  organization,
  email,
  name,
  rights,
  status,
  invited_by,
  created_at,
  last_sign_in_at,
});

function name(text: string): string {
  if (/^[^\p{Cc}]+$/u.test(text) && text.trim() !== '' && text.length <= 200) return text;
  throw new InvalidArgumentError('expected 1 to 200 printable characters');
}
