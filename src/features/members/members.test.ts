import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldOpen, waitingForLock } from '../../../test/support/desk.ts';
import { codeOf, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { signedIn } from '../../../test/support/people.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { platformActor } from '../../platform/http/platform-actor.ts';
import type { Right } from '../../platform/http/member-rights.ts';
import { ROLES } from '../../platform/http/caller.ts';
import { asId, type Id } from '../../platform/ids.ts';
import { addMember, changeMember, inviteAgain, removeMember } from './change-members.ts';
import { bindByEmail, findMember, findMembersOfPerson } from './queries.ts';
import type { MemberRow } from './member.ts';

const HOST = platformActor('command line');
const ISSUER = 'https://login.example.com';

/** What members with ADMIN do in the row scope of their organization, as the routes do it. */
function people(gateway: Gateway, { organization_id }: Holder) {
  const own = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> =>
    gateway.deps.db.tx({ organization: organization_id }, work);
  const all = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => gateway.deps.db.tx({ platform: true }, work);
  const actor = { actor_id: asId('mem', 'mem_boss'), organization_id };
  let sessions = 0;
  return {
    own,
    all,
    actor,
    add: (email: string, rights: Right[] = ['VIEW'], name = 'Ada') =>
      own((tx) => addMember(tx, actor, { organization_id, email, name, rights })),
    change: (member_id: Id<'mem'>, change: Parameters<typeof changeMember>[2]['change']) =>
      own((tx) => changeMember(tx, actor, { organization_id, member_id, change })),
    remove: (member_id: Id<'mem'>) => own((tx) => removeMember(tx, actor, { organization_id, member_id })),
    /** The person's first sign-in. */
    signIn: (email: string, subject: string, name: string | null = null) =>
      all((tx) => bindByEmail(tx, { issuer: ISSUER, subject, email, name })),
    openSession: ({ member_id }: MemberRow) =>
      all((tx) =>
        tx.exec(
          `insert into sessions (session_hash, issuer, subject, organization_id, member_id, csrf, expires_at)
           values ($1, $2, 'x', $3, $4, 'c', now() + interval '1 hour')`,
          [`${member_id}${(sessions += 1)}`, ISSUER, organization_id, member_id],
        ),
      ),
    countSessions: async ({ member_id }: MemberRow) =>
      (await all((tx) => tx.rows('select 1 from sessions where member_id = $1', [member_id]))).length,
    audited: (memberId: string) =>
      all((tx) =>
        tx.rows<{ action: string; actor: string; before: unknown; after: unknown }>(
          'select action, actor, before, after from audit_log where entity_id = $1 order by sequence',
          [memberId],
        ),
      ),
  };
}

/** The status and words of a refusal. */
async function refusalOf(work: Promise<unknown>): Promise<[status: number, code: string, message: string]> {
  const refusal: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(refusal instanceof ApiError, `expected a refusal, got ${String(refusal)}`);
  return [refusal.statusCode, refusal.code, refusal.message];
}

test('members of an organization', async (t) => {
  await using gateway = await startGateway();
  const house = await gateway.key('both', 'House');
  const other = await gateway.key('both', 'Other');
  const desk = people(gateway, house);
  const boss = await desk.add('boss@example.com', ['ADMIN'], 'Boss');
  const read = (id: string, as = house) => gateway.call('GET', `/v1/api/members/${id}`, { as });

  await t.test('are invited under one address, whatever its case', async () => {
    const added = await desk.add('Ada.Larsen@Example.COM', ['VIEW', 'EDIT']);
    const { data } = (await read(added.member_id)).body;
    const { created_at, ...rest } = data;
    assert.deepEqual(rest, {
      member_id: added.member_id,
      email: 'ada.larsen@example.com',
      name: 'Ada',
      rights: ['EDIT', 'VIEW'],
      status: 'INVITED',
      invited_by: 'mem_boss',
      last_sign_in_at: null,
    });
    assert.match(created_at, /^\d{4}-/);
    const [status, code, message] = await refusalOf(desk.add('ADA.LARSEN@example.com'));
    assert.deepEqual([status, code], [409, 'CONFLICT']);
    assert.match(message, /ada\.larsen@example\.com/);
    assert.deepEqual((await refusalOf(desk.add('ada at example'))).slice(0, 2), [400, 'VALIDATION_FAILED']);
    const elsewhere = await people(gateway, other).add('ada.larsen@example.com');
    assert.equal(elsewhere.organization_id, other.organization_id);
  });

  await t.test('invited twice at once are one', async () => {
    const both = await Promise.allSettled([desk.add('twice@example.com'), desk.add('twice@example.com')]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  });

  await t.test('are read by the keys of their organization, by status, and by no other', async () => {
    const listed = await gateway.call('GET', '/v1/api/members?status=INVITED', { as: house });
    assert.equal(listed.status, 200);
    assert.ok(listed.body.data.some((each: MemberRow) => each.member_id === boss.member_id));
    assert.equal((await gateway.call('GET', '/v1/api/members?status=ACTIVE', { as: house })).body.data.length, 0);
    assert.equal((await read(boss.member_id, other)).status, 404);
    const theirs = (await gateway.call('GET', '/v1/api/members', { as: other })).body.data;
    assert.deepEqual(
      theirs.map((each: MemberRow) => each.email),
      ['ada.larsen@example.com'],
    );
  });

  await t.test('of another organization cannot be changed or removed', async () => {
    const theirs = await people(gateway, other).add('theirs@example.com');
    assert.equal((await refusalOf(desk.change(theirs.member_id, { name: 'Mine' })))[0], 404);
    assert.equal((await refusalOf(desk.remove(theirs.member_id)))[0], 404);
    const wide = desk.all((tx) =>
      removeMember(tx, HOST, { organization_id: house.organization_id, member_id: theirs.member_id }),
    );
    assert.equal((await refusalOf(wide))[0], 404);
  });

  await t.test('change name and rights; the audit log has both states, and nothing where nothing changes', async () => {
    const member = await desk.add('change@example.com', ['VIEW']);
    await desk.change(member.member_id, { name: 'Grace', rights: ['APPROVE', 'EDIT'] });
    await desk.change(member.member_id, { name: 'Grace', rights: ['EDIT', 'APPROVE'] });
    await desk.change(member.member_id, {});
    const { data } = (await read(member.member_id)).body;
    assert.deepEqual([data.name, data.rights, data.status], ['Grace', ['EDIT', 'APPROVE'], 'INVITED']);
    await desk.remove(member.member_id);
    const state = { email: 'change@example.com', name: 'Ada', rights: ['VIEW'], status: 'INVITED' };
    const changed = { name: 'Grace', rights: ['EDIT', 'APPROVE'], status: 'INVITED' };
    assert.deepEqual(await desk.audited(member.member_id), [
      { action: 'member.added', actor: 'mem_boss', before: null, after: state },
      {
        action: 'member.changed',
        actor: 'mem_boss',
        before: { name: 'Ada', rights: ['VIEW'], status: 'INVITED' },
        after: changed,
      },
      { action: 'member.removed', actor: 'mem_boss', before: { ...changed, email: 'change@example.com' }, after: null },
    ]);
  });

  await t.test('are gone once they were removed, whatever version is named, and their address is free again', async () => {
    const member = await desk.add('gone@example.com');
    await desk.remove(member.member_id);
    for (const headers of [{}, { 'if-none-match': '*' }])
      assert.equal((await gateway.call('GET', `/v1/api/members/${member.member_id}`, { as: house, headers })).status, 404);
    const stale = { as: house, headers: { 'if-match': '"old"' }, body: { name: 'Back' } };
    const refused = await gateway.call('PATCH', `/v1/api/members/${member.member_id}`, stale);
    assert.deepEqual(codeOf(refused), [403, 'RIGHT_REQUIRED'], 'a removed member has no version to be stale');
    assert.equal((await refusalOf(desk.change(member.member_id, { name: 'Back' })))[0], 404);
    assert.equal((await refusalOf(desk.remove(member.member_id)))[0], 404);
    assert.notEqual((await desk.add('gone@example.com')).member_id, member.member_id);
  });

  await t.test('who are suspended are signed out, and resumed as what they were', async () => {
    const invited = await desk.add('invited@example.com');
    const active = await desk.add('active@example.com');
    await desk.signIn('active@example.com', 'active');
    const states = [];
    for (const member of [invited, active]) {
      await desk.openSession(member);
      await desk.openSession(member);
      await desk.openSession(boss);
      const suspended = await desk.change(member.member_id, { status: 'SUSPENDED' });
      assert.equal(await desk.countSessions(member), 0);
      const again = await desk.change(member.member_id, { status: 'SUSPENDED' });
      const resumed = await desk.change(member.member_id, { status: 'ACTIVE' });
      states.push([suspended.status, again.status, resumed.status]);
    }
    assert.equal(await desk.countSessions(boss), 2, 'others stay signed in');
    assert.deepEqual(states, [
      ['SUSPENDED', 'SUSPENDED', 'INVITED'],
      ['SUSPENDED', 'SUSPENDED', 'ACTIVE'],
    ]);
  });

  await t.test('who are removed are signed out; new rights leave them signed in', async () => {
    const member = await desk.add('out@example.com');
    await desk.openSession(member);
    await desk.change(member.member_id, { rights: ['EDIT'] });
    assert.equal(await desk.countSessions(member), 1);
    await desk.remove(member.member_id);
    assert.equal(await desk.countSessions(member), 0);
  });
});

test('the last member with ADMIN', async (t) => {
  await using gateway = await startGateway();
  const desk = people(gateway, await gateway.key('investor', 'House'));
  const only = await desk.add('one@example.com', ['ADMIN', 'VIEW'], 'One');
  await desk.add('reader@example.com');
  const gone = await desk.add('gone@example.com', ['ADMIN']);
  await desk.remove(gone.member_id);
  const suspended = await desk.add('suspended@example.com', ['ADMIN']);
  await desk.change(suspended.member_id, { status: 'SUSPENDED' });

  await t.test('is not removed or suspended and keeps the right, where other admins are suspended or removed', async () => {
    for (const act of [
      () => desk.remove(only.member_id),
      () => desk.change(only.member_id, { status: 'SUSPENDED' }),
      () => desk.change(only.member_id, { rights: ['VIEW'] }),
      () => desk.all((tx) => removeMember(tx, HOST, only)),
    ]) {
      const [status, code, message] = await refusalOf(act());
      assert.deepEqual([status, code], [409, 'CONFLICT']);
      assert.match(message, /One is the last member of House with the right ADMIN/);
    }
    assert.deepEqual((await desk.own((tx) => findMember(tx, only.member_id)))?.rights, ['ADMIN', 'VIEW']);
    assert.equal((await desk.change(only.member_id, { name: 'Uno', rights: ['ADMIN'] })).name, 'Uno');
  });

  await t.test('is not the suspended one, who can go', async () => {
    await desk.remove(suspended.member_id);
  });

  await t.test('stays where two are taken away at once: the second finds what the first left', async () => {
    const second = await desk.add('two@example.com', ['ADMIN']);
    const commit = await heldOpen(gateway, (tx) => removeMember(tx, HOST, second));
    const late = refusalOf(desk.change(only.member_id, { status: 'SUSPENDED' }));
    await waitingForLock(gateway);
    await commit();
    assert.deepEqual((await late).slice(0, 2), [409, 'CONFLICT']);
  });
});

test('keys never write members', async () => {
  await using gateway = await startGateway();
  for (const role of ROLES) {
    const key = await gateway.key(role);
    const { member_id } = await people(gateway, key).add('ada@example.com', ['ADMIN']);
    const base = role === 'operator' ? '/v1/operator/members' : '/v1/api/members';
    const before = await gateway.call('GET', base, { as: key });
    assert.equal(before.body.data.length, 1);
    for (const [method, path, body] of [
      ['POST', base, {}],
      ['PATCH', `${base}/mem_none`, { rights: ['KING'] }],
      ['DELETE', `${base}/mem_none`, undefined],
      ['POST', base, { email: 'new@example.com', name: 'New', rights: ['ADMIN'] }],
      ['PATCH', `${base}/${member_id}`, { rights: ['VIEW'] }],
      ['DELETE', `${base}/${member_id}`, undefined],
    ] as const) {
      const refused = await gateway.call(method, path, { as: key, ...(body ? { body } : {}) });
      assert.deepEqual([role, method, ...codeOf(refused)], [role, method, 403, 'RIGHT_REQUIRED']);
      assert.deepEqual([refused.body.rights, refused.body.needed], [[], ['ADMIN']]);
      assert.match(refused.body.message ?? '', /ADMIN.*a key has no rights/);
    }
    assert.deepEqual((await gateway.call('GET', base, { as: key })).body, before.body);
  }
});

test('a body that is no member is refused', async () => {
  await using gateway = await startGateway();
  const { organization_id } = await gateway.key('both');
  const { headers } = await signedIn(gateway, organization_id, 'boss@example.com', ['ADMIN']);
  const whole = { email: 'ada@example.com', name: 'Ada', rights: ['VIEW'] };
  for (const wrong of [{ rights: [] }, { rights: ['VIEW', 'VIEW'] }, { rights: ['KING'] }, { email: undefined }, { name: '' }]) {
    const refused = await gateway.call('POST', '/v1/api/members', { headers, body: { ...whole, ...wrong } });
    assert.deepEqual(codeOf(refused), [400, 'VALIDATION_FAILED'], JSON.stringify(wrong));
  }
  const invited = await gateway.call('PATCH', '/v1/api/members/mem_x', { headers, body: { status: 'INVITED' } });
  assert.deepEqual(codeOf(invited), [400, 'VALIDATION_FAILED']);
});

test('a person who signs in', async (t) => {
  await using gateway = await startGateway();
  const house = await gateway.key('both', 'House');
  const desk = people(gateway, house);
  const platform = people(gateway, await gateway.key('operator', 'Platform'));
  const find = (subject: string) => desk.all((tx) => findMembersOfPerson(tx, { issuer: ISSUER, subject }));
  const mine = await desk.add('ada@example.com', ['VIEW'], 'ada@example.com');
  const theirs = await platform.add('ada@example.com', ['APPROVE'], 'A. Larsen');
  const removed = await desk.add('left@example.com');
  await desk.remove(removed.member_id);

  await t.test(
    'becomes the members with its address in every organization, and takes its name where none was given',
    async () => {
      assert.deepEqual(await find('ada'), []);
      assert.equal((await desk.signIn('Ada@Example.com', 'ada', 'Ada Larsen')).length, 2);
      const found = await find('ada');
      assert.deepEqual(
        found.map((each) => [each.member_id, each.organization, each.roles, each.organization_status, each.status, each.name]),
        [
          [mine.member_id, 'House', ['both'], 'ACTIVE', 'ACTIVE', 'Ada Larsen'],
          [theirs.member_id, 'Platform', ['operator'], 'ACTIVE', 'ACTIVE', 'A. Larsen'],
        ],
      );
      assert.deepEqual(await desk.all((tx) => findMember(tx, theirs.member_id)), found[1]);
    },
  );

  await t.test('takes no member that is another person’s, and none that was removed', async () => {
    assert.deepEqual(await desk.signIn('ada@example.com', 'mallory'), []);
    assert.deepEqual(await desk.signIn('left@example.com', 'left'), []);
    assert.deepEqual(await find('mallory'), []);
    assert.equal(await desk.all((tx) => findMember(tx, removed.member_id)), null);
  });

  await t.test('has one member in an organization, under whichever address', async () => {
    await desk.add('ada.new@example.com');
    assert.deepEqual(await desk.signIn('ada.new@example.com', 'ada'), []);
    assert.equal((await find('ada')).length, 2);
  });

  await t.test('has one member also where it signs in under two addresses at once', async () => {
    const first = await desk.add('eve@example.com');
    const other = await desk.add('eve.new@example.com');
    const as = (email: string) => ({ issuer: ISSUER, subject: 'eve', email, name: null });
    const commit = await heldOpen(gateway, (tx) => bindByEmail(tx, as(first.email)));
    const late = desk.all((tx) => bindByEmail(tx, as(other.email)));
    await waitingForLock(gateway);
    await commit();
    assert.deepEqual(await late, []);
    assert.deepEqual(
      (await find('eve')).map(({ member_id }) => member_id),
      [first.member_id],
    );
    assert.equal((await desk.all((tx) => findMember(tx, other.member_id)))?.status, 'INVITED');
  });

  await t.test('stays suspended where it was suspended before', async () => {
    const member = await desk.add('late@example.com');
    await desk.change(member.member_id, { status: 'SUSPENDED' });
    assert.equal((await desk.signIn('late@example.com', 'late')).length, 1);
    assert.deepEqual(
      (await find('late')).map(({ status }) => status),
      ['SUSPENDED'],
    );
    assert.deepEqual(await desk.signIn('late@example.com', 'mallory'), [], 'it is bound all the same');
    assert.equal((await desk.change(member.member_id, { status: 'ACTIVE' })).status, 'ACTIVE');
  });
});

test('a member who is invited again', async (t) => {
  await using gateway = await startGateway();
  const desk = people(gateway, await gateway.key('both', 'House'));
  const again = ({ member_id, organization_id }: MemberRow) =>
    desk.all((tx) => inviteAgain(tx, HOST, { organization_id, member_id }));
  const boss = await desk.add('boss@example.com', ['ADMIN']);

  await t.test('is signed out and found by the address at another provider, also as the only ADMIN', async () => {
    await desk.signIn('boss@example.com', 'boss');
    await desk.openSession(boss);
    assert.equal((await again(boss)).status, 'INVITED');
    assert.equal(await desk.countSessions(boss), 0);
    const elsewhere = { issuer: 'https://other.example.com', subject: '1', email: 'boss@example.com', name: null };
    await desk.all((tx) => bindByEmail(tx, elsewhere));
    const [found, ...others] = await desk.all((tx) => findMembersOfPerson(tx, elsewhere));
    assert.deepEqual([found?.member_id, found?.status, others], [boss.member_id, 'ACTIVE', []]);
    assert.deepEqual(await desk.all((tx) => findMembersOfPerson(tx, { issuer: ISSUER, subject: 'boss' })), []);
    assert.deepEqual(
      (await desk.audited(boss.member_id)).filter(({ action }) => action === 'member.invited_again').map(({ actor }) => actor),
      ['command line'],
    );
  });

  await t.test('stays suspended, and invited where it never signed in', async () => {
    const late = await desk.add('late@example.com');
    assert.equal((await again(late)).status, 'INVITED');
    await desk.signIn('late@example.com', 'late');
    await desk.change(late.member_id, { status: 'SUSPENDED' });
    assert.equal((await again(late)).status, 'SUSPENDED');
    assert.equal((await desk.change(late.member_id, { status: 'ACTIVE' })).status, 'INVITED');
  });
});
