import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstError, isDatabaseUnavailable, unavailableReason } from './unavailable.ts';

const failure = (code: string, cause?: unknown): Error => Object.assign(new Error('internal text', { cause }), { code });

test('a failure of the moment has a reason that repeats nothing of its text', () => {
  for (const code of [
    '08006',
    '25006',
    '40001',
    '53100',
    '53300',
    '55P03',
    '57014',
    '57P03',
    'ECONNREFUSED',
    'ENOSPC',
    'EMFILE',
    'EACCES',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'EPROTO',
    'HPE_INVALID_CONSTANT',
  ]) {
    const reason = unavailableReason(failure(code));
    assert.ok(reason, code);
    assert.doesNotMatch(reason, /internal text/);
  }
});

test('messages of the driver without a code are known', () => {
  for (const message of [
    'Query read timeout',
    'timeout exceeded when trying to connect',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Client was closed and is not queryable',
    'Cannot use a pool after calling end on the pool',
  ]) {
    assert.ok(unavailableReason(new Error(message)), message);
    assert.equal(isDatabaseUnavailable(new Error(message)), true, message);
  }
});

test('what this machine lacks is known by the message of the columnar engine, which has no code', () => {
  for (const lacks of ['Too many open files', 'Read-only file system', 'Permission denied', 'Input/output error']) {
    const failed = new Error(`IO Error: Cannot open file "/data/work/raw.parquet": ${lacks}`);
    assert.ok(unavailableReason(failed), lacks);
    assert.equal(isDatabaseUnavailable(failed), false, lacks);
  }
  const absent = new Error('IO Error: Cannot open file "/data/work/raw.parquet": No such file or directory');
  assert.equal(unavailableReason(absent), null);
  const full = new Error('IO Error: Could not write file "/data/raw.parquet": No space left on device');
  assert.equal(unavailableReason(full), 'the disk is full');
  assert.equal(isDatabaseUnavailable(full), false);
});

test('the error that came first counts, where closing what it had left open has failed too', () => {
  const first = failure('EMFILE');
  const both = new SuppressedError(new Error('no thread'), new SuppressedError(failure('ECONNRESET'), first));
  assert.equal(firstError(both), first);
  assert.equal(unavailableReason(both), unavailableReason(first));
  assert.equal(firstError(first), first);
});

test('the reason may lie in a cause, at a bounded depth', () => {
  const wrapped = new Error('job failed', { cause: new Error('write failed', { cause: failure('ECONNRESET') }) });
  assert.ok(unavailableReason(wrapped));
  const endless = failure('none');
  endless.cause = endless;
  assert.equal(unavailableReason(endless), null);
});

test('a defect, a violated constraint and what is no error have none', () => {
  for (const thrown of [
    failure('23505'),
    failure('42601'),
    failure('22012'),
    new TypeError('x'),
    null,
    undefined,
    'ECONNRESET',
    5,
  ]) {
    assert.equal(unavailableReason(thrown), null);
  }
});

test('a machine without disk or descriptors is no reason to wait for the database', () => {
  for (const code of ['ENOSPC', 'EMFILE', 'ENOMEM', 'EROFS']) assert.equal(isDatabaseUnavailable(failure(code)), false, code);
  for (const code of ['ECONNREFUSED', '57P01', '53300']) assert.equal(isDatabaseUnavailable(failure(code)), true, code);
});
