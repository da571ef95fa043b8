import type { Deps } from '../../platform/deps.ts';
import { platformActor } from '../../platform/http/platform-actor.ts';
import { RIGHTS, type Right } from '../../platform/http/member-rights.ts';
import { findOrganizationByName } from '../keys/queries.ts';
import { addMember } from '../members/change-members.ts';
import { listMembers } from '../members/queries.ts';

/** Of each organization one who may do everything; of the operator two, for acts that need several people. */
const PEOPLE = (
  organizations: SandboxOrganizations,
): readonly { organization: string; name: string; rights: readonly Right[] }[] => [
  { organization: organizations.originator, name: 'Ada Larsen', rights: RIGHTS },
  { organization: organizations.originator, name: 'Ravi Menon', rights: ['EDIT'] },
  { organization: organizations.investor, name: 'Iris Kwan', rights: RIGHTS },
  { organization: organizations.investor, name: 'Noel Abadi', rights: ['VIEW'] },
  { organization: organizations.operator, name: 'Olga Brandt', rights: RIGHTS },
  { organization: organizations.operator, name: 'Omar Diaz', rights: RIGHTS },
];

type SandboxOrganizations = Record<'originator' | 'investor' | 'operator', string>;

/** People of the sandbox to sign in as. In Development alone: elsewhere an identity provider says who somebody is. */
export async function addPeople({ db, config }: Deps, organizations: SandboxOrganizations): Promise<void> {
  if (config.environment !== 'development') return;
  await db.tx({ platform: true }, async (tx) => {
    for (const { organization, name, rights } of PEOPLE(organizations)) {
      const found = await findOrganizationByName(tx, organization);
      if (!found) continue;
      const { organization_id } = found;
      const email = `${name.toLowerCase().replace(' ', '.')}@sandbox.example`;
      const { rows } = await listMembers(tx, organization_id, { page: 1, limit: 100 });
      if (!rows.some((member) => member.email === email))
        await addMember(tx, platformActor('sandbox'), { organization_id, email, name, rights });
    }
  });
}
