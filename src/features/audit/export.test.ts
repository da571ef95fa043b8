import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { codeOf, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { signedIn } from '../../../test/support/people.ts';
import { audit } from '../../platform/audit.ts';
import { checkpointAudit } from '../../platform/audit-checkpoints.ts';

const VERIFIER = fileURLToPath(new URL('../../../docs/verify-audit.mjs', import.meta.url));

/** Runs the verifier over a text; its exit code and what it says. */
function verifierIn(folder: string) {
  const file = join(folder, 'export.jsonl');
  return (text: string, ...more: string[]): [code: number | null, said: string] => {
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync(process.execPath, [VERIFIER, file, ...more], { encoding: 'utf8' });
    return [status, stdout + stderr];
  };
}

const VALUES = [
  { face: 1.1, rate: 1e-7, note: 'é “x” \u2028 \\ "', nested: { b: [1, 2, { z: null, a: true }], aa: 0 } },
  'text',
  12345678.9,
  null,
];

async function note(gateway: Gateway, { organization_id, key_id }: Holder, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1)
    await gateway.deps.db.tx({ platform: true }, async (tx) =>
      audit(tx, {
        organization_id,
        actor: key_id,
        action: 'a.test',
        entity_type: 'test',
        entity_id: `one ${n}`,
        before: VALUES[(n + 1) % VALUES.length],
        after: VALUES[n % VALUES.length],
        reason: n % 2 ? 'Because "so"\nit is.' : null,
      }),
    );
}

test('an export of the audit log', async (t) => {
  await using gateway = await startGateway();
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const verify = verifierIn(folder);
  const operator = await gateway.key('operator', 'Platform');
  const ours = await gateway.key('both', 'Ours');
  const theirs = await gateway.key('both', 'Theirs');
  await note(gateway, ours, 7);
  await checkpointAudit(gateway.deps);
  await note(gateway, theirs, 6);
  await checkpointAudit(gateway.deps);
  await note(gateway, ours, 3);
  const download = async (as: Holder, path: string): Promise<string> => {
    const answer = await gateway.call('GET', path, { as });
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'application/x-ndjson'], answer.text);
    return answer.text;
  };
  const whole = await download(operator, '/v1/operator/audit/export');
  const lines = whole.trimEnd().split('\n');
  const verdict = (await gateway.call('GET', '/v1/operator/audit/verify', { as: operator })).body.data;

  await t.test('is verified by a script of at most 60 lines that needs only Node', () => {
    const script = readFileSync(VERIFIER, 'utf8');
    assert.ok(script.trimEnd().split('\n').length <= 60);
    for (const [, name] of script.matchAll(/from '([^']+)'/g)) assert.match(name ?? '', /^node:/);
    const [code, said] = verify(whole, verdict.public_key_sha256);
    assert.equal(code, 0, said);
    assert.match(
      said,
      new RegExp(`^VALID: ${verdict.entries} entries, 2 signed checkpoints up to entry ${verdict.checkpoints.last_sequence}, `),
    );
    const middle = verify(whole, 'f'.repeat(64));
    assert.deepEqual([middle[0], /not the one that you trust/.test(middle[1])], [1, true]);
  });

  await t.test('can begin with any entry, and goes on as the log does', async () => {
    const part = await download(operator, '/v1/operator/audit/export?from_sequence=5');
    assert.match(verify(part)[1], new RegExp(`^VALID: ${verdict.entries - 4} entries`));
    const beyond = await gateway.call('GET', `/v1/operator/audit/export?from_sequence=${verdict.entries + 2}`, { as: operator });
    assert.deepEqual(codeOf(beyond), [400, 'VALIDATION_FAILED']);
    const next = await download(operator, `/v1/operator/audit/export?from_sequence=${verdict.entries + 1}`);
    assert.match(verify(next)[1], /^VALID: 0 entries/);
  });

  await t.test('does not verify when a line is missing, or two have changed places', () => {
    for (let at = 0; at < lines.length; at += 1) {
      const without = lines.toSpliced(at, 1);
      assert.equal(verify(`${without.join('\n')}\n`)[0], 1, `without line ${at + 1}`);
      if (at + 1 >= lines.length) continue;
      const swapped = lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? '');
      assert.equal(verify(`${swapped.join('\n')}\n`)[0], 1, `lines ${at + 1} and ${at + 2} swapped`);
    }
  });

  await t.test('does not verify when it was cut off anywhere, or a character was changed', () => {
    for (let n = 1; n <= 15; n += 1) {
      const place = Math.floor((whole.length * n) / 16);
      assert.equal(verify(whole.slice(0, place))[0], 1, `cut at ${place}`);
      const other = whole[place] === '7' ? '8' : '7';
      assert.equal(verify(whole.slice(0, place) + other + whole.slice(place + 1))[0], 1, `changed at ${place}`);
    }
  });

  await t.test('has no end where the log lacks entries that its head or a checkpoint has, so it does not verify', async () => {
    const owner = await gateway.owner();
    for (const change of [
      'delete from audit_log where sequence = (select max(sequence) from audit_log)',
      `delete from audit_log where sequence >= (select max(sequence) from audit_checkpoints);
       update audit_head set (sequence, hash) = (select sequence, hash from audit_log order by sequence desc limit 1)`,
    ]) {
      await owner.query('begin');
      await owner.query('alter table audit_log disable trigger user; alter table audit_head disable trigger user');
      await owner.query(
        'create table kept as table audit_log; alter table kept drop column status; create table kept_head as table audit_head',
      );
      await owner.query(change);
      await owner.query('commit');
      const cut = await gateway.call('GET', '/v1/operator/audit/export', { as: operator }).then(
        ({ text }) => text,
        () => '',
      );
      assert.equal(verify(cut)[0], 1, change);
      await owner.query(
        'delete from audit_log; insert into audit_log table kept; delete from audit_head; insert into audit_head table kept_head',
      );
      await owner.query('drop table kept, kept_head');
    }
    await owner.end();
    assert.equal(verify(await download(operator, '/v1/operator/audit/export'))[0], 0);
  });

  await t.test('of one who signs a rewritten log with another key does not pass for that of this one', async () => {
    await using other = await startGateway();
    const forger = await other.key('operator', 'Platform');
    await note(other, forger, 3);
    const forged = (await other.call('GET', '/v1/operator/audit/export', { as: forger })).text;
    assert.equal(verify(forged)[0], 0);
    assert.equal(verify(forged, verdict.public_key_sha256)[0], 1);
    const foreignEnd = [...lines.slice(0, -1), forged.trimEnd().split('\n').at(-1)].join('\n');
    assert.equal(verify(`${foreignEnd}\n`)[0], 1);
  });

  await t.test('of a customer has its own entries, whole and signed, and nothing of others or their number', async () => {
    const own = await download(ours, '/v1/api/audit/export');
    const [, ...entries] = own
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const end = entries.pop();
    assert.deepEqual(new Set(entries.map((each) => each.organization_id)), new Set([ours.organization_id]));
    assert.equal(end.entries, entries.length);
    assert.ok(entries.every((each) => !('sequence' in each) && !('previous_hash' in each)));
    assert.match(verify(own, verdict.public_key_sha256)[1], new RegExp(`^VALID: ${entries.length} entries`));
    assert.equal(verify(own.replace('"a.test"', '"b.test"'))[0], 1);
    const listed = (await gateway.call('GET', '/v1/api/audit?limit=100', { as: ours })).body.data;
    assert.deepEqual(
      entries.map((each) => each.hash),
      listed.map((each: { hash: string }) => each.hash).toReversed(),
    );
    const later = await download(ours, '/v1/api/audit/export?from=2999-01-01');
    assert.match(verify(later)[1], /^VALID: 0 entries/);
  });

  await t.test('and the lists name people, their own ones only to customers', async () => {
    const ann = await signedIn(gateway, ours.organization_id, 'ann@example.com', ['ADMIN']);
    const added = await gateway.call('POST', '/v1/api/members', {
      headers: ann.headers,
      body: { email: 'bo@example.com', name: 'Bo', rights: ['VIEW'] },
    });
    const olga = await signedIn(gateway, operator.organization_id, 'olga@example.com', ['ADMIN']);
    await gateway.call('POST', `/v1/operator/organizations/${ours.organization_id}/suspend`, { headers: olga.headers });
    await gateway.call('POST', `/v1/operator/organizations/${ours.organization_id}/resume`, { headers: olga.headers });
    const named = async (path: string, as: Holder) =>
      (await gateway.call('GET', path, { as })).body.data.map((each: { action: string; actor: string; actor_name: string }) => [
        each.action,
        each.actor,
        each.actor_name,
      ]);
    const byAnn = ['member.added', ann.member_id, 'ann@example.com'];
    assert.deepEqual(await named(`/v1/api/audit?action=member.added&actor=${ann.member_id}`, ours), [byAnn]);
    assert.deepEqual(await named(`/v1/operator/audit?entity_id=${added.body.data.member_id}`, operator), [byAnn]);
    assert.deepEqual(await named('/v1/operator/audit?action=organization.resume', operator), [
      ['organization.resume', olga.member_id, 'olga@example.com'],
    ]);
    assert.deepEqual(await named('/v1/api/audit?action=organization.resume', ours), [
      ['organization.resume', olga.member_id, null],
    ]);
    assert.ok((await download(operator, '/v1/operator/audit/export')).includes('"actor_name":"olga@example.com"'));
    assert.ok(!(await download(ours, '/v1/api/audit/export')).includes('olga@example.com'));
  });
});
