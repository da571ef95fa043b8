import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { audit } from '../../platform/audit.ts';
import type { AuditProblem } from '../../platform/audit-chain.ts';
import { checkpointAudit, startCheckpoints } from '../../platform/audit-checkpoints.ts';
import { type AuditVerdict, verifyAudit } from '../../platform/audit-verify.ts';
import { StoreUnavailable } from '../../platform/files/store.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { until } from '../../../test/support/until.ts';

/** Without the column that the database makes of the others. */
const KEPT = ['create table kept as table audit_log', 'alter table kept drop column status'];
const NO_TRIGGERS = ['audit_log', 'audit_head', 'audit_checkpoints']
  .map((each) => `alter table ${each} disable trigger user`)
  .join(';');
const entryOf = (organization_id: string, entity_id: string) => ({
  organization_id,
  actor: 'a test',
  action: 'test.noted',
  entity_type: 'test',
  entity_id,
  after: { text: 'é "quoted" \\ \u2028\u0001', large: 1e21, list: [1, null, { b: 1, aa: 2.5 }] },
});

async function append(gateway: Gateway, holder: Holder, count: number): Promise<void> {
  await gateway.deps.db.tx({ organization: holder.organization_id }, async (tx) =>
    audit(tx, ...Array.from({ length: count }, (_, index) => entryOf(holder.organization_id, `entry ${index}`))),
  );
}

async function asOwner(gateway: Gateway, ...statements: string[]): Promise<void> {
  const owner = await gateway.owner();
  try {
    for (const statement of statements) await owner.query(statement);
  } finally {
    await owner.end();
  }
}

async function verifyAs(gateway: Gateway, operator: Holder): Promise<AuditVerdict> {
  const { status, body } = await gateway.call('GET', '/v1/operator/audit/verify', { as: operator });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** A log of 25 entries: an operator's key, a customer's, and what the customer noted. */
async function logged() {
  const gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const customer = await gateway.key('both', 'Customer');
  await append(gateway, customer, 23);
  const verify = () => verifyAs(gateway, operator);
  /** Changes the log as the owner of the table can, looks, and puts it back. */
  const tampered = async (change: string) => {
    await asOwner(gateway, NO_TRIGGERS, ...KEPT, change);
    const { valid, entries, broken_at, problems } = await verify();
    await asOwner(gateway, 'delete from audit_log', 'insert into audit_log table kept', 'drop table kept');
    assert.deepEqual([valid, problems[0]?.sequence], [false, broken_at], change);
    return { entries, broken_at, code: problems[0]?.code };
  };
  return { gateway, operator, customer, verify, tampered, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

test('the chain of the audit log', async (t) => {
  await t.test('is whole after what happened here, also when acts came at once and several in one transaction', async () => {
    await using log = await logged();
    await Promise.all(Array.from({ length: 18 }, (_, index) => log.gateway.key('both', `Crowd ${index}`)));
    await append(log.gateway, log.customer, 2);
    const { valid, entries, problems } = await log.verify();
    assert.deepEqual({ valid, entries, problems }, { valid: true, entries: 45, problems: [] });
  });

  await t.test('shows the first entry that was changed, whichever field it was', async () => {
    await using log = await logged();
    for (const change of [
      `actor = 'somebody else'`,
      `organization_id = '${log.operator.organization_id}'`,
      `action = 'key.revoked'`,
      `entity_type = 'deal'`,
      `entity_id = 'key_other'`,
      `after = jsonb_set(after, '{role}', '"operator"')`,
      `before = '{}'`,
      `reason = 'none'`,
      `at = at + interval '1 millisecond'`,
      `hash = repeat('a', 64)`,
    ]) {
      const seen = await log.tampered(`update audit_log set ${change} where sequence = 3`);
      assert.deepEqual(seen, { entries: 2, broken_at: 3, code: 'ENTRY_CHANGED' }, change);
    }
  });

  await t.test('shows that an entry was taken out, at its place or at the end', async () => {
    await using log = await logged();
    const missing = async (where: string) => log.tampered(`delete from audit_log ${where}`);
    assert.deepEqual(await missing('where sequence = 3'), { entries: 2, broken_at: 3, code: 'ENTRY_MISSING' });
    assert.deepEqual(await missing('where sequence = 25'), { entries: 24, broken_at: 25, code: 'ENTRY_MISSING' });
    assert.deepEqual(await missing(''), { entries: 0, broken_at: 1, code: 'ENTRY_MISSING' });
  });

  await t.test('takes no entry after an end that is not the one of its head, and none of another organization', async () => {
    await using log = await logged();
    const { gateway, operator, customer, verify } = log;
    await asOwner(gateway, NO_TRIGGERS, ...KEPT, 'delete from audit_log where sequence = 25');
    await assert.rejects(append(gateway, customer, 1), { code: 'XX001' });
    await asOwner(gateway, 'insert into audit_log select * from kept where sequence = 25', 'drop table kept');
    const foreign = gateway.deps.db.tx({ organization: customer.organization_id }, async (tx) =>
      audit(tx, entryOf(operator.organization_id, 'foreign')),
    );
    await assert.rejects(foreign, { code: '42501' });
    assert.equal((await verify()).entries, 25);
  });

  await t.test('holds entries that an earlier version of the gateway linked', async () => {
    const old = await startGateway();
    try {
      const at = '2026-01-31T10:20:30.456Z';
      const after = { aa: 1, b: { c: [2.5], d: 'x' } };
      const fields = [1, 'aud_1', 'org_1', 'key_1', 'key.issued', 'key', 'key_2', null, after, 'why', at, '0'.repeat(64)];
      const hash = createHash('sha256').update(JSON.stringify(fields)).digest('hex');
      await asOwner(
        old,
        `insert into audit_log (sequence, entry_id, organization_id, actor, action, entity_type, entity_id, after, reason, at, previous_hash, hash)
         values (1, 'aud_1', 'org_1', 'key_1', 'key.issued', 'key', 'key_2', '${JSON.stringify(after)}', 'why', '${at}', repeat('0', 64), '${hash}')`,
        `update audit_head set sequence = 1, hash = '${hash}'`,
      );
      const { valid, entries } = await verifyAs(old, await old.key('operator', 'Platform'));
      assert.deepEqual([valid, entries], [true, 2]);
    } finally {
      await old[Symbol.asyncDispose]();
    }
  });
});

test('the audit log and the gateway’s own role', async (t) => {
  await using gateway = await startGateway();
  await gateway.key('operator', 'Platform');
  await checkpointAudit(gateway.deps);

  await t.test(
    'it reads the log, its head and its checkpoints and writes none of them but through the one function',
    async () => {
      for (const statement of [
        'update audit_log set reason = null',
        'delete from audit_log',
        'truncate audit_log',
        `insert into audit_log (sequence, entry_id, organization_id, actor, action, entity_type, entity_id, at, previous_hash, hash)
       values (9, 'x', 'x', 'x', 'x', 'x', 'x', now(), 'x', 'x')`,
        'update audit_head set sequence = 0',
        'delete from audit_head',
        'truncate audit_head',
        `insert into audit_head (singleton, sequence, hash) values (false, 1, 'x')`,
        `update audit_checkpoints set hash = 'x'`,
        'delete from audit_checkpoints',
        'truncate audit_checkpoints',
      ]) {
        const run = gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(statement));
        await assert.rejects(run, { code: '42501' }, statement);
      }
    },
  );

  await t.test('even the owner of the tables cuts nothing by mistake', async () => {
    for (const statement of [
      'update audit_log set reason = null',
      'delete from audit_log',
      'truncate audit_log',
      'delete from audit_head',
      'truncate audit_head',
      'delete from audit_checkpoints',
      'truncate audit_log, audit_checkpoints cascade',
    ]) {
      await assert.rejects(asOwner(gateway, statement), /append-only/, statement);
    }
  });
});

test('checkpoints of the audit log', async (t) => {
  /** A log of 30 entries with checkpoints at 10, 20 and 30, that then is changed as an owner of the database can. */
  const afterwards = async (change: (gateway: Gateway, customer: Holder) => Promise<void>): Promise<AuditVerdict> => {
    await using gateway = await startGateway();
    const operator = await gateway.key('operator', 'Platform');
    const customer = await gateway.key('both', 'Customer');
    for (const count of [8, 10, 10]) {
      await append(gateway, customer, count);
      await checkpointAudit(gateway.deps);
    }
    const before = await verifyAs(gateway, operator);
    assert.deepEqual([before.valid, before.checkpoints.count, before.checkpoints.last_sequence], [true, 3, 30]);
    await asOwner(gateway, NO_TRIGGERS);
    await change(gateway, customer);
    return await verifyAs(gateway, operator);
  };
  const CUT_AT_15 = [
    'delete from audit_log where sequence > 15',
    'update audit_head set (sequence, hash) = (select sequence, hash from audit_log where sequence = 15)',
  ];
  const first = ({ valid, problems: [problem] }: AuditVerdict): [unknown, AuditProblem] => [valid, problem as AuditProblem];

  await t.test('show a tail that was cut with the head set back', async () => {
    const [valid, { code, sequence, seen, expected }] = first(await afterwards((gateway) => asOwner(gateway, ...CUT_AT_15)));
    assert.deepEqual([valid, code, sequence, seen, expected], [false, 'TAIL_CUT', 16, '15 entries', '20 entries']);
  });

  await t.test('show it when the checkpoints of the database went with it: the object store has them', async () => {
    const verdict = await afterwards((gateway) =>
      asOwner(gateway, ...CUT_AT_15, 'delete from audit_checkpoints where sequence > 15'),
    );
    const [valid, { code, sequence, seen, expected }] = first(verdict);
    assert.deepEqual([valid, code, sequence, seen, expected], [false, 'TAIL_CUT', 16, '15 entries', '30 entries']);
  });

  await t.test('show a log that was emptied whole, head and checkpoints with it', async () => {
    const verdict = await afterwards((gateway) =>
      asOwner(gateway, 'truncate audit_log, audit_checkpoints', `update audit_head set sequence = 0, hash = repeat('0', 64)`),
    );
    const [valid, { code, sequence }] = first(verdict);
    assert.deepEqual([valid, verdict.entries, code, sequence], [false, 0, 'TAIL_CUT', 1]);
  });

  await t.test('show a tail that was written anew as a chain of its own, and are never made over it', async () => {
    const verdict = await afterwards(async (gateway, customer) => {
      await asOwner(gateway, ...CUT_AT_15, 'delete from audit_checkpoints where sequence > 15');
      await append(gateway, customer, 20);
      await checkpointAudit(gateway.deps);
    });
    assert.deepEqual([verdict.checkpoints.count, verdict.checkpoints.last_sequence], [1, 10]);
    const [valid, { code, sequence, seen, expected }] = first(verdict);
    assert.deepEqual([valid, verdict.entries, code, sequence], [false, 35, 'TAIL_REWRITTEN', 20]);
    assert.ok(/^[0-9a-f]{64}$/.test(seen) && /^[0-9a-f]{64}$/.test(expected) && seen !== expected);
  });

  await t.test('show it when one of them was changed or taken away', async () => {
    const changed = await afterwards((gateway) =>
      asOwner(gateway, `update audit_checkpoints set sequence = 19 where number = 2`),
    );
    assert.deepEqual([changed.valid, changed.problems[0]?.code], [false, 'CHECKPOINT_INVALID']);
    for (const numbers of ['1', '2, 3']) {
      const verdict = await afterwards((gateway) =>
        asOwner(gateway, `delete from audit_checkpoints where number in (${numbers})`),
      );
      assert.deepEqual([verdict.valid, verdict.problems[0]?.code], [false, 'CHECKPOINT_MISSING'], numbers);
    }
    const forged = await afterwards(async (gateway) => {
      const [key] = await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.rows<{ key: string }>('select key from audit_checkpoints'),
      );
      await gateway.deps.store.delete(`audit/${key?.key}/000000003.json`);
    });
    assert.deepEqual([forged.valid, forged.problems[0]?.code], [false, 'CHECKPOINT_MISSING']);
  });

  await t.test('that the object store does not show leave the question open: the log is not called valid', async () => {
    await using gateway = await startGateway();
    await gateway.key('operator', 'Platform');
    await checkpointAudit(gateway.deps);
    const store = storeWith(gateway.deps.store, { ready: async () => Promise.reject(new StoreUnavailable('no answer')) });
    const { valid, checkpoints, problems } = await verifyAudit({ ...gateway.deps, store });
    assert.deepEqual([valid, checkpoints.store, problems], [null, 'unavailable', []]);
  });

  await t.test(
    'are one series however many processes make them, and are made once more where a process died between',
    async () => {
      await using gateway = await startGateway();
      const customer = await gateway.key('both', 'Customer');
      const operator = await gateway.key('operator', 'Platform');
      for (let round = 0; round < 5; round += 1) {
        await append(gateway, customer, 1);
        await Promise.all(Array.from({ length: 6 }, () => checkpointAudit(gateway.deps)));
      }
      await append(gateway, customer, 1);
      const dying = storeWith(gateway.deps.store, { put: async () => Promise.reject(new StoreUnavailable('no answer')) });
      await assert.rejects(checkpointAudit({ ...gateway.deps, store: dying }), StoreUnavailable);
      await checkpointAudit(gateway.deps);
      const { valid, checkpoints } = await verifyAs(gateway, operator);
      assert.deepEqual([valid, checkpoints.count, checkpoints.last_sequence], [true, 6, 8]);
    },
  );

  await t.test('are made when 100 entries have come, without waiting for housekeeping', async () => {
    await using gateway = await startGateway();
    await using _checkpoints = startCheckpoints(gateway.deps);
    const operator = await gateway.key('operator', 'Platform');
    for (let entries = 1; entries < 100; entries += 11) await append(gateway, operator, 11);
    const isMade = async () => (await verifyAs(gateway, operator)).checkpoints.last_sequence >= 100;
    await until(isMade, 120_000, 'the checkpoint');
  });

  await t.test('are made by housekeeping of whatever came', async () => {
    await using gateway = await startGateway();
    const operator = await gateway.key('operator', 'Platform');
    await gateway.deps.db.tx({ platform: true }, (tx) => gateway.deps.jobs.enqueue(tx, 'housekeeping', {}));
    await gateway.runJobs();
    assert.equal((await verifyAs(gateway, operator)).checkpoints.last_sequence, 1);
  });
});
