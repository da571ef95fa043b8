import type { Environment } from '../../config.ts';
import { audit } from '../../platform/audit.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { APPROVAL_ACTS, type ApprovalAct } from '../../platform/http/approval-acts.ts';
import type { Decider } from '../../platform/http/own-organization.ts';
import { RIGHT_OF } from './approval.ts';
import { countPeople, findPolicy, lockPolicy, type Policy, updatePolicy } from './queries.ts';

/** Acts that move money or give rights: on a production gateway nobody should do them alone. */
const FOR_TWO: readonly ApprovalAct[] = [
  'POOL_ISSUE',
  'ALLOCATE',
  'SETTLE',
  'MARK_PUBLISH',
  'PROFILE_SET',
  'KEY_ISSUE',
  'REMITTANCE_ACCEPT',
  'POLICY_SET',
  'MEMBER_SET',
];

export type PolicyWithAdvice = { acts: Policy; advice: string[] };

/** Replaces the policy; acts that are left out need one. What waits keeps at least the people whom it needed when it was asked for. */
export async function setPolicy(tx: Tx, actor: Decider & { organization_id: string }, acts: Partial<Policy>): Promise<void> {
  await lockPolicy(tx);
  const before = await findPolicy(tx);
  const after = Object.fromEntries(APPROVAL_ACTS.map((act) => [act, acts[act] ?? 1])) as Policy;
  const changed = APPROVAL_ACTS.filter((act) => before[act] !== after[act]);
  if (changed.length === 0) return;
  await updatePolicy(tx, after);
  const of = (policy: Policy) => Object.fromEntries(changed.map((act) => [act, policy[act]]));
  audit(tx, {
    organization_id: actor.organization_id,
    actor: actor.actor_id,
    action: 'approval_policy.set',
    entity_type: 'approval_policy',
    entity_id: 'approval_policy',
    before: of(before),
    after: of(after),
  });
}

/** The policy, and what should be otherwise in it. */
export async function readPolicy(tx: Reader, environment: Environment): Promise<PolicyWithAdvice> {
  const acts = await findPolicy(tx);
  const people = await countPeople(tx);
  const alone = environment === 'production' ? FOR_TWO.filter((act) => acts[act] < 2) : [];
  const short = APPROVAL_ACTS.filter((act) => acts[act] > 1 && people[RIGHT_OF[act]] < acts[act]);
  return {
    acts,
    advice: [
      ...(alone.length > 0
        ? [`One person or key alone can do ${alone.join(', ')}: let two people approve what moves money or gives rights.`]
        : []),
      ...short.map((act) => {
        const right = RIGHT_OF[act];
        return `${act} needs ${acts[act]} people, and ${people[right]} of the operators’ members can decide on it: add members with the right ${right}, or nobody can do it.`;
      }),
    ],
  };
}
