import { addMember } from '../../src/features/members/change-members.ts';
import { findSession } from '../../src/features/sessions/queries.ts';
import { signIn } from '../../src/features/sessions/sign-in.ts';
import { platformActor } from '../../src/platform/http/platform-actor.ts';
import type { Right } from '../../src/platform/http/member-rights.ts';
import type { Id } from '../../src/platform/ids.ts';
import type { Gateway } from './gateway.ts';

export type SignedIn = { member_id: Id<'mem'>; headers: { cookie: string; 'x-sluice-csrf': string } };

/** A new member of an organization, who has not signed in yet. */
export function invited(
  gateway: Gateway,
  organization_id: Id<'org'>,
  email: string,
  rights: Right[],
): Promise<{ member_id: Id<'mem'> }> {
  return gateway.deps.db.tx({ platform: true }, (tx) =>
    addMember(tx, platformActor('test'), { organization_id, email, name: email, rights }),
  );
}

/** A new member of an organization, signed in: `headers` are those of their browser. */
export async function signedIn(gateway: Gateway, organization_id: Id<'org'>, email: string, rights: Right[]): Promise<SignedIn> {
  return await gateway.deps.db.tx({ platform: true }, async (tx) => {
    const { member_id } = await addMember(tx, platformActor('test'), { organization_id, email, name: email, rights });
    const { secret, hash } = await signIn(tx, { issuer: 'test', subject: email, email, name: null }, null);
    const session = await findSession(tx, hash);
    return { member_id, headers: { cookie: `sluice_session=${secret}`, 'x-sluice-csrf': session?.csrf ?? '' } };
  });
}
