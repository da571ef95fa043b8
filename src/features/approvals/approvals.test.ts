import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Act, actsOn, setNeeded } from '../../../test/support/approvals.ts';
import { changesOf, dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Answer, codeOf, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { signedIn, type SignedIn } from '../../../test/support/people.ts';
import { ROUTES } from '../../app.ts';
import { APPROVAL_ACTS, type ApprovalAct } from '../../platform/http/approval-acts.ts';
import { neededRights } from '../../platform/http/rights.ts';
import type { Right } from '../../platform/http/member-rights.ts';
import { RIGHT_OF } from './approval.ts';
import { expireApprovals } from './expire-approvals.ts';
import { readPolicy } from './policy.ts';
import type { Policy } from './queries.ts';

type By = Holder | SignedIn;
const EVERY = ['ADMIN', 'EDIT', 'APPROVE'] as const;

/** A gateway with operators: a key, and people with every right. */
async function operators(gateway: Gateway) {
  const desk = await openDesk(gateway);
  const { organization_id } = desk.operator;
  const person = (email: string, rights: readonly ('ADMIN' | 'EDIT' | 'APPROVE' | 'VIEW')[] = EVERY, of = organization_id) =>
    signedIn(gateway, of, email, [...rights]);
  const send = (by: By, method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway.call(method, path, {
      ...('token' in by ? { as: by } : {}),
      headers: { ...('token' in by ? {} : by.headers), ...headers },
      ...(body ? { body } : {}),
    });
  const decide = (by: By, id: string, what: 'approve' | 'deny' | 'token', body?: object) =>
    send(by, 'POST', `/v1/operator/approvals/${id}/${what}`, body);
  return {
    desk,
    key: desk.operator,
    person,
    send,
    decide,
    needed: (acts: Partial<Policy>) => setNeeded(gateway, desk.operator, acts),
    ask: (by: By, { method, path, body }: Act, headers?: Record<string, string>) => send(by, method, path, body, headers),
    read: async (id: string) => dataOf(await send(desk.operator, 'GET', `/v1/operator/approvals/${id}`)),
    waitingFor: async (by: By): Promise<string[]> =>
      dataOf(await send(by, 'GET', '/v1/operator/approvals?mine=true&limit=100')).map(
        (each: { approval_id: string }) => each.approval_id,
      ),
    /** A checked deal to approve, for which two people are needed. */
    async twoForADeal(): Promise<Act> {
      await setNeeded(gateway, desk.operator, {});
      const act = await actsOn(desk).DEAL_APPROVE.approveDeal?.();
      await setNeeded(gateway, desk.operator, { DEAL_APPROVE: 2 });
      assert.ok(act);
      return act;
    },
  };
}

const dealOf = ({ path }: Act): string => path.split('/')[4] ?? '';

test('every act of the policy has its routes, which need the right of the act', async () => {
  await using gateway = await startGateway();
  const acts = actsOn(await openDesk(gateway));
  const routes = ROUTES.filter((route) => route.approval);
  for (const route of routes) assert.deepEqual(neededRights(route), [RIGHT_OF[route.approval as ApprovalAct]], route.operation);
  assert.deepEqual(
    routes.map((route) => `${route.approval} ${route.operation}`).toSorted(),
    APPROVAL_ACTS.flatMap((act) => Object.keys(acts[act]).map((operation) => `${act} ${operation}`)).toSorted(),
  );
});

test('no act that needs two people is done by one', async (t) => {
  await using gateway = await startGateway();
  const ours = await operators(gateway);
  const [ann, ben] = [await ours.person('ann@example.com'), await ours.person('ben@example.com')];
  for (const [act, routes] of Object.entries(actsOn(ours.desk)) as [ApprovalAct, Record<string, () => Promise<Act>>][])
    for (const [operation, prepare] of Object.entries(routes)) {
      await t.test(`${act} by ${operation}`, async () => {
        await ours.needed({});
        const request = await prepare();
        await ours.needed({ [act]: 2 });
        // A key is no person: a person who asks counts as one.
        const [asker, others] = act === 'MEMBER_SET' ? [ann, [ben]] : [ours.key, [ann, ben]];
        if (act === 'MEMBER_SET') assert.deepEqual(codeOf(await ours.ask(ours.key, request)), [403, 'RIGHT_REQUIRED']);
        const { result: asked, changed } = await changesOf(gateway, () => ours.ask(asker, request));
        assert.equal(asked.status, 202, JSON.stringify(asked.body));
        assert.deepEqual(changed, ['alerts', 'audit_log'], 'the act is not done');
        const { approval_id, expires_at, ...waiting } = asked.body.data;
        assert.deepEqual(waiting, { act, status: 'PENDING', needed: 2, given: act === 'MEMBER_SET' ? 1 : 0 });
        assert.ok(Date.parse(expires_at) > Date.now());
        assert.equal(dataOf(await ours.ask(asker, request)).approval_id, approval_id, 'the same request is the same approval');
        assert.deepEqual(
          codeOf(await ours.decide(ours.key, approval_id, 'approve')),
          [403, 'RIGHT_REQUIRED'],
          'a key is no person',
        );
        if (asker === ann) assert.deepEqual(codeOf(await ours.decide(ann, approval_id, 'approve')), [403, 'SAME_PERSON']);
        for (const each of others.slice(0, -1)) {
          assert.equal(dataOf(await ours.decide(each, approval_id, 'approve')).status, 'PENDING');
          assert.deepEqual(codeOf(await ours.decide(each, approval_id, 'approve')), [403, 'SAME_PERSON']);
          assert.deepEqual(codeOf(await ours.decide(each, approval_id, 'deny')), [403, 'SAME_PERSON']);
        }
        const done = dataOf(await ours.decide(ben, approval_id, 'approve'));
        assert.deepEqual([done.status, done.given, done.failure], ['DONE', 2, null]);
        assert.equal(JSON.stringify(done).includes('eyJ'), false, 'a key is not shown to who approves');
        assert.deepEqual(codeOf(await ours.decide(ann, approval_id, 'approve')), [409, 'INVALID_TRANSITION']);
        // It was done: what can be done once cannot be asked for again.
        if (!['PROFILE_SET', 'KEY_ISSUE', 'POLICY_SET', 'MARK_PUBLISH', 'MEMBER_SET'].includes(act))
          assert.equal((await ours.ask(asker, request)).status, 409);
        const entries = await ours.desk.audited(approval_id);
        assert.deepEqual(
          entries.map(({ action, actor }) => [action, actor]),
          [
            ['approval.requested', 'token' in asker ? asker.key_id : asker.member_id],
            ...others.map((each) => ['approval.approved', each.member_id]),
            ['approval.done', ben.member_id],
          ],
        );
      });
    }
});

test('approvals', async (t) => {
  await using gateway = await startGateway();
  const ours = await operators(gateway);
  const [ann, ben, cleo] = [
    await ours.person('ann@example.com'),
    await ours.person('ben@example.com'),
    await ours.person('cleo@example.com'),
  ];
  const asked = async (by: By = ours.key): Promise<{ request: Act; id: string }> => {
    const request = await ours.twoForADeal();
    return { request, id: dataOf(await ours.ask(by, request)).approval_id };
  };
  const statusOf = async (deal: string): Promise<string> =>
    dataOf(await ours.send(ours.key, 'GET', `/v1/operator/deals?deal_id=${deal}`))[0].status;

  await t.test('are asked for only where the act could be done now', async () => {
    const { request } = await asked();
    const deal = dealOf(request);
    for (const [by, path, status] of [
      [ours.key, '/v1/operator/deals/deal_00000000000000000000000000/approve', 404],
      [await gateway.mixedKey(ours.desk.seller), request.path, 202],
    ] as const)
      assert.equal((await ours.send(by, 'POST', path)).status, status);
    await ours.needed({});
    await ours.send(ours.key, 'POST', `/v1/operator/deals/${deal}/reject`, { reason: 'No.' });
    await ours.needed({ DEAL_APPROVE: 2 });
    assert.deepEqual(codeOf(await ours.ask(ann, request)), [409, 'INVALID_TRANSITION']);
  });

  await t.test('are done once by 50 approvals of two people at the same time', async () => {
    const { request, id } = await asked();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => ours.decide(index % 2 ? ann : ben, id, 'approve')),
    );
    const statuses = answers.map((answer) => `${answer.status} ${answer.body.code ?? answer.body.data.status}`);
    assert.equal(statuses.filter((each) => each === '200 DONE').length, 1, statuses.join());
    assert.equal(statuses.filter((each) => each === '200 PENDING').length, 1, statuses.join());
    assert.ok(
      statuses.every((each) => /^(200|403 SAME_PERSON|409 INVALID_TRANSITION)/.test(each)),
      statuses.join(),
    );
    assert.equal((await ours.desk.audited(dealOf(request))).filter(({ action }) => action === 'deal.approved').length, 1);
  });

  await t.test('of one person who is a member of two operators count once', async () => {
    const other = await gateway.key('operator', 'Second platform');
    const { id } = await asked();
    await ours.decide(ann, id, 'approve');
    const twin = await ours.person('ann@second.example', EVERY, other.organization_id);
    await gateway.deps.db.tx({ platform: true }, async (tx) => {
      const ids = [ann.member_id, twin.member_id];
      await tx.exec(
        'update members set subject = a.subject from members a where a.member_id = $1 and members.member_id = $2',
        ids,
      );
      await tx.exec(
        'update sessions set subject = m.subject from members m where m.member_id = $1 and sessions.member_id = $2',
        ids,
      );
    });
    assert.deepEqual(codeOf(await ours.decide(twin, id, 'approve')), [403, 'SAME_PERSON']);
    assert.equal((await ours.read(id)).given, 1);
  });

  await t.test('of a member that was bound to another account count once, and who asked does not decide', async () => {
    /** As after `members invite-again` and a sign-in at another provider. */
    const bindAnew = ({ member_id }: typeof ann) =>
      gateway.deps.db.tx({ platform: true }, async (tx) => {
        for (const table of ['members', 'sessions'])
          await tx.exec(`update ${table} set subject = 'anew ' || subject where member_id = $1`, [member_id]);
      });
    const { id } = await asked();
    assert.equal(dataOf(await ours.decide(ann, id, 'approve')).given, 1);
    const own = await asked(ann);
    await bindAnew(ann);
    assert.equal((await ours.read(id)).given, 0);
    const again = dataOf(await ours.decide(ann, id, 'approve'));
    assert.deepEqual([again.status, again.given], ['PENDING', 1]);
    assert.deepEqual(codeOf(await ours.decide(ann, own.id, 'approve')), [403, 'SAME_PERSON']);
    assert.equal(dataOf(await ours.decide(ben, id, 'approve')).status, 'DONE');
  });

  await t.test('fail in words where the state has moved, and leave nothing of the act', async () => {
    const { request, id } = await asked();
    await ours.needed({});
    await ours.send(ours.key, 'POST', `/v1/operator/deals/${dealOf(request)}/reject`, { reason: 'No.' });
    await ours.needed({ DEAL_APPROVE: 2 });
    await ours.decide(ann, id, 'approve');
    const failed = dataOf(await ours.decide(ben, id, 'approve'));
    assert.deepEqual([failed.status, failed.failure.code, failed.result], ['FAILED', 'INVALID_TRANSITION', null]);
    assert.equal(await statusOf(dealOf(request)), 'REJECTED');
  });

  await t.test('fail where who asked may act no more', async () => {
    const asker = await gateway.key('operator', 'Platform');
    const { request, id } = await asked(asker);
    await ours.send(ours.key, 'POST', `/v1/operator/keys/${asker.key_id}/revoke`);
    await ours.decide(ann, id, 'approve');
    const failed = dataOf(await ours.decide(ben, id, 'approve'));
    assert.deepEqual([failed.status, failed.failure.code], ['FAILED', 'CONFLICT']);
    assert.equal(await statusOf(dealOf(request)), 'QC_COMPLETED');
  });

  await t.test('of who was suspended or has lost the right count no more', async () => {
    const { id } = await asked();
    const left = await ours.person(`left${id}@example.com`);
    await ours.decide(left, id, 'approve');
    const change = (body: object) => ours.send(ann, 'PATCH', `/v1/operator/members/${left.member_id}`, body);
    for (const body of [{ rights: ['VIEW'] }, { rights: [...EVERY], status: 'SUSPENDED' }]) {
      dataOf(await change(body));
      assert.equal((await ours.read(id)).given, 0, JSON.stringify(body));
    }
    assert.equal(dataOf(await ours.decide(ben, id, 'approve')).status, 'PENDING');
    assert.equal(dataOf(await ours.decide(cleo, id, 'approve')).status, 'DONE');
  });

  await t.test('need the right of the act, of a person', async () => {
    const { id } = await asked();
    const viewer = await ours.person(`viewer${id}@example.com`, ['VIEW', 'ADMIN', 'EDIT']);
    for (const what of ['approve', 'deny'] as const) {
      const refused = await ours.decide(viewer, id, what);
      assert.deepEqual([...codeOf(refused), refused.body.needed], [403, 'RIGHT_REQUIRED', ['APPROVE']]);
    }
    assert.equal((await ours.read(id)).given, 0);
    assert.ok(!(await ours.waitingFor(viewer)).includes(id));
  });

  await t.test('wait for whom they say, and are told to the operators', async () => {
    const { request, id } = await asked(ann);
    assert.deepEqual(await Promise.all([ann, ben, ours.key].map(async (each) => (await ours.waitingFor(each)).includes(id))), [
      false,
      true,
      false,
    ]);
    const alerts = dataOf(await ours.send(ours.key, 'GET', '/v1/operator/alerts?type=approval.requested&limit=100'));
    const [alert] = alerts.filter((each: { entity_id: string }) => each.entity_id === id);
    assert.match(
      alert.message,
      new RegExp(
        `ann@example.com asked for DEAL_APPROVE of ${dealOf(request)}: it needs 2 people and has 1\\. Decide by the end of \\d{4}-\\d\\d-\\d\\d \\(America/New_York\\)\\.$`,
      ),
    );
    await ours.needed({ DEAL_APPROVE: 3 });
    assert.equal(dataOf(await ours.decide(ben, id, 'approve')).status, 'PENDING', 'the policy has become stricter');
    assert.ok(!(await ours.waitingFor(ben)).includes(id));
    const done = dataOf(await ours.decide(cleo, id, 'approve', { reason: 'Looks right.' }));
    assert.deepEqual(
      [done.status, done.needed, done.decisions.map((each: { name: string; reason: string }) => [each.name, each.reason])],
      [
        'DONE',
        3,
        [
          ['ben@example.com', null],
          ['cleo@example.com', 'Looks right.'],
        ],
      ],
    );
    assert.equal(done.result.status, 'APPROVED');
  });

  await t.test('that wait keep the people they needed when the policy becomes laxer', async () => {
    const { request, id } = await asked();
    await ours.needed({});
    assert.equal((await ours.read(id)).needed, 2);
    assert.equal(dataOf(await ours.decide(ann, id, 'approve')).status, 'PENDING');
    assert.equal((await ours.ask(ours.key, request)).status, 200, 'one alone does it now');
  });

  await t.test('are denied by one person, with a reason', async () => {
    const { request, id } = await asked();
    const denied = dataOf(await ours.decide(ann, id, 'deny', { reason: 'Not yet.' }));
    assert.deepEqual([denied.status, denied.decisions[0].reason], ['DENIED', 'Not yet.']);
    assert.deepEqual(codeOf(await ours.decide(ben, id, 'approve')), [409, 'INVALID_TRANSITION']);
    assert.equal(await statusOf(dealOf(request)), 'QC_COMPLETED');
    assert.notEqual(dataOf(await ours.ask(ours.key, request)).approval_id, id, 'it may be asked for again');
  });

  await t.test('end after three business days, and can be asked for again', async () => {
    // A Friday: three business days later is Wednesday.
    await gateway.setClock('2027-03-05T15:00:00Z');
    const { request, id } = await asked();
    assert.equal((await ours.read(id)).expires_at, '2027-03-11T04:59:59.000Z');
    await gateway.setClock('2027-03-11T04:59:00Z');
    assert.equal(dataOf(await ours.decide(ann, id, 'approve')).status, 'PENDING');
    await gateway.setClock('2027-03-11T05:00:00Z');
    const late = await ours.decide(ben, id, 'approve');
    assert.deepEqual([...codeOf(late), late.body.current_status], [409, 'INVALID_TRANSITION', 'EXPIRED']);
    const next = dataOf(await ours.ask(ours.key, request)).approval_id;
    assert.notEqual(next, id);
    assert.equal((await ours.read(id)).status, 'EXPIRED');
    await gateway.setClock('2027-03-20T05:00:00Z');
    await expireApprovals(gateway.deps.db);
    assert.equal((await ours.read(next)).status, 'EXPIRED');
    const alerts = dataOf(await ours.send(ours.key, 'GET', '/v1/operator/alerts?type=approval.ended&limit=100'));
    for (const each of [id, next]) assert.ok(alerts.some((alert: { entity_id: string }) => alert.entity_id === each));
  });

  await t.test('are asked for once under one Idempotency-Key', async () => {
    const request = await ours.twoForADeal();
    const [first, second] = [
      await ours.ask(ours.key, request, { 'idempotency-key': request.path }),
      await ours.ask(ours.key, request, { 'idempotency-key': request.path }),
    ];
    assert.deepEqual([first.status, second.status, second.headers['idempotency-replayed']], [202, 202, 'true']);
    assert.deepEqual(second.body, first.body);
  });

  await t.test('are not avoided by a body that the act does not have', async () => {
    await ours.needed({});
    const request = await actsOn(ours.desk).POOL_ISSUE.issuePool?.();
    assert.ok(request);
    await ours.needed({ POOL_ISSUE: 2 });
    assert.notEqual((await ours.ask(ann, { ...request, body: { dry_run: true } })).status, 200);
  });

  await t.test('give the key that they make once, to who asked', async () => {
    await ours.needed({ KEY_ISSUE: 2 });
    const body = { organization: 'Newcomer', role: 'both', environment: 'development', requester: 'Ada', use_case: 'Trade' };
    const id = dataOf(await ours.send(ann, 'POST', '/v1/operator/keys', body)).approval_id;
    assert.deepEqual(codeOf(await ours.decide(ann, id, 'token')), [409, 'CONFLICT']);
    const done = dataOf(await ours.decide(ben, id, 'approve'));
    assert.deepEqual([done.status, done.result.organization, done.result.token], ['DONE', 'Newcomer', undefined]);
    for (const other of [ben, ours.key]) assert.deepEqual(codeOf(await ours.decide(other, id, 'token')), [404, 'NOT_FOUND']);
    const rightsOf = (rights: readonly Right[]) =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec('update members set rights = $2 where member_id = $1', [ann.member_id, rights]),
      );
    await rightsOf(['VIEW']);
    assert.deepEqual(codeOf(await ours.decide(ann, id, 'token')), [403, 'RIGHT_REQUIRED']);
    await rightsOf(EVERY);
    const fetched = await Promise.all([ours.decide(ann, id, 'token'), ours.decide(ann, id, 'token')]);
    assert.deepEqual(fetched.map(({ status }) => status).toSorted(), [200, 409]);
    const { key_id, token } = fetched.find(({ status }) => status === 200)?.body.data ?? {};
    const me = dataOf(await gateway.call('GET', '/v1/api/me', { as: token }));
    assert.deepEqual([me.key_id, me.organization], [key_id, 'Newcomer']);
    const rows = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows(`select actor from audit_log where action = 'approval.token_fetched' and entity_id = $1`, [id]),
    );
    assert.deepEqual(rows, [{ actor: ann.member_id }]);
  });

  await t.test('of a key count the people of its organization’s profile too, where the key makes a verified one', async () => {
    await ours.needed({ PROFILE_SET: 2 });
    const issue = (organization: string, profile?: 'verified' | 'none') =>
      ours.send(ours.key, 'POST', '/v1/operator/keys', {
        organization,
        role: 'investor',
        environment: 'production',
        requester: 'Ada',
        use_case: 'Trade',
        ...(profile ? { profile } : {}),
      });
    assert.equal((await issue('Plain')).status, 201);
    assert.equal((await issue('Plain', 'verified')).status, 201, 'a later key leaves the profile as it is');
    assert.equal((await issue('Bare', 'none')).status, 201);
    const asked = dataOf(await issue('Vouched for', 'verified'));
    assert.deepEqual([asked.act, asked.needed], ['KEY_ISSUE', 2]);
    const list = () => ours.send(ours.key, 'GET', '/v1/operator/organizations?limit=1');
    assert.equal(dataOf(await list())[0].name, 'Bare');
    await ours.decide(ann, asked.approval_id, 'approve');
    assert.equal(dataOf(await ours.decide(ben, asked.approval_id, 'approve')).status, 'DONE');
    const [made] = dataOf(await list());
    assert.deepEqual([made.name, made.profile.kyc_status], ['Vouched for', 'VERIFIED']);
    await ours.needed({});
    assert.equal((await issue('Vouched alone', 'verified')).status, 201);
  });

  await t.test('of a record of the own organization are refused to who approves too', async () => {
    const { request, id } = await asked();
    const deal = dataOf(await ours.send(ours.key, 'GET', `/v1/operator/deals?deal_id=${dealOf(request)}`))[0];
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update organizations set roles = '{operator}' where organization_id = $1`, [deal.organization_id]),
    );
    const insider = await ours.person(`insider${id}@example.com`, EVERY, deal.organization_id);
    for (const what of ['approve', 'deny'] as const)
      assert.deepEqual(codeOf(await ours.decide(insider, id, what)), [403, 'OWN_ORGANIZATION']);
  });

  await t.test('of a membership are not for the member', async () => {
    await ours.needed({ MEMBER_SET: 2 });
    const path = `/v1/operator/members/${ben.member_id}`;
    const id = dataOf(await ours.send(ann, 'PATCH', path, { rights: ['VIEW'] })).approval_id;
    for (const what of ['approve', 'deny'] as const)
      assert.deepEqual(codeOf(await ours.decide(ben, id, what)), [403, 'SAME_PERSON']);
    // The same person, as a member of another operator.
    const other = await gateway.key('operator', 'Third platform');
    const twin = await ours.person('ben@third.example', EVERY, other.organization_id);
    await gateway.deps.db.tx({ platform: true }, async (tx) => {
      for (const table of ['members', 'sessions'])
        await tx.exec(
          `update ${table} set subject = b.subject from members b where b.member_id = $1 and ${table}.member_id = $2`,
          [ben.member_id, twin.member_id],
        );
    });
    assert.deepEqual(codeOf(await ours.decide(twin, id, 'approve')), [403, 'SAME_PERSON']);
    assert.equal(dataOf(await ours.decide(cleo, id, 'deny')).status, 'DENIED');
    await ours.needed({});
  });

  await t.test('are for operators alone', async () => {
    const { id } = await asked();
    for (const [method, path] of [
      ['GET', '/v1/operator/approval-policy'],
      ['PUT', '/v1/operator/approval-policy'],
      ['GET', '/v1/operator/approvals'],
      ['POST', `/v1/operator/approvals/${id}/approve`],
    ] as const)
      assert.deepEqual(codeOf(await ours.send(ours.desk.seller, method, path)), [403, 'ROLE_FORBIDDEN']);
  });
});

test('the approval policy', async (t) => {
  await using gateway = await startGateway();
  const ours = await operators(gateway);
  const path = '/v1/operator/approval-policy';
  const ones = Object.fromEntries(APPROVAL_ACTS.map((act) => [act, 1]));

  await t.test('wants one person for everything at first', async () => {
    assert.deepEqual(dataOf(await ours.send(ours.key, 'GET', path)), { acts: ones, advice: [] });
  });

  await t.test('is replaced whole, and says which acts nobody could do', async () => {
    await ours.person('only@example.com', ['APPROVE']);
    const set = dataOf(await ours.send(ours.key, 'PUT', path, { acts: { SETTLE: 2, ALLOCATE: 3 } }));
    assert.deepEqual(set.acts, { ...ones, SETTLE: 2, ALLOCATE: 3 });
    assert.deepEqual(
      set.advice.map((line: string) => line.slice(0, 31)),
      ['ALLOCATE needs 3 people, and 1 ', 'SETTLE needs 2 people, and 1 of'],
    );
    assert.deepEqual(dataOf(await ours.send(ours.key, 'PUT', path, { acts: {} })).acts, ones);
    const [first] = await ours.desk.audited('approval_policy');
    assert.deepEqual(
      [first?.action, first?.before, first?.after],
      ['approval_policy.set', { SETTLE: 1, ALLOCATE: 1 }, { SETTLE: 2, ALLOCATE: 3 }],
    );
  });

  await t.test('advises two people in Production for what moves money or gives rights', async () => {
    const advice = async (environment: 'production' | 'staging', acts: Partial<Policy>) => {
      await ours.needed(acts);
      return (await gateway.deps.db.tx({ platform: true }, (tx) => readPolicy(tx, environment))).advice[0];
    };
    const MOVING =
      'POOL_ISSUE, ALLOCATE, SETTLE, MARK_PUBLISH, PROFILE_SET, KEY_ISSUE, REMITTANCE_ACCEPT, POLICY_SET, MEMBER_SET';
    assert.equal(
      await advice('production', {}),
      `One person or key alone can do ${MOVING}: let two people approve what moves money or gives rights.`,
    );
    assert.equal(await advice('staging', {}), undefined);
    assert.doesNotMatch((await advice('production', { SETTLE: 2 })) ?? '', /alone can do .*SETTLE/);
    await ours.needed({});
  });

  await t.test('takes 1, 2 or 3 for the acts that it knows', async () => {
    for (const acts of [{ SETTLE: 0 }, { SETTLE: 4 }, { SETTLE: 1.5 }, { SETTLE: null }, { NOTHING: 2 }])
      assert.deepEqual(
        codeOf(await ours.send(ours.key, 'PUT', path, { acts })),
        [400, 'VALIDATION_FAILED'],
        JSON.stringify(acts),
      );
  });

  await t.test('is not opened again by one where it needs two', async () => {
    await ours.needed({ POLICY_SET: 2 });
    const asked = await ours.send(ours.key, 'PUT', path, { acts: {} });
    assert.equal(asked.status, 202);
    assert.equal(dataOf(await ours.send(ours.key, 'GET', path)).acts.POLICY_SET, 2);
  });
});
