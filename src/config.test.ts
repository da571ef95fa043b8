import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readBusinessZone, readConfig, SETTINGS } from './config.ts';

const pemOf = (kind: 'ed25519' | 'ed448'): string => {
  const { privateKey } = kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ed448');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
};

const problemsOf = (env: Record<string, string>): string => {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return '';
};

test('without settings the gateway is one for development on this machine alone', () => {
  const config = readConfig({});
  assert.deepEqual(
    [config.environment, config.http, config.databaseUrl, config.storage, config.rateLimit],
    ['development', { host: '127.0.0.1', port: 8080, publicUrl: null }, null, { kind: 'file' }, 100],
  );
  assert.deepEqual(config.webhooks.retriesMs, [30_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000]);
  assert.throws(() => Object.assign(config, { rateLimit: 1 }), TypeError);
});

test('every problem is listed at once', () => {
  const text = problemsOf({
    PORT: '70000',
    SLUICE_RATE_LIMIT: '0',
    SLUICE_ENVIRONMENT: 'test',
    SLUICE_WEBHOOK_RETRIES: '5 minutes',
  });
  for (const name of ['PORT', 'SLUICE_RATE_LIMIT', 'SLUICE_ENVIRONMENT', 'SLUICE_WEBHOOK_RETRIES'])
    assert.match(text, new RegExp(`- ${name}:`));
  assert.match(text, /have 4 problem/);
});

test('.env.example has every setting, and the defaults in it are those of the gateway', () => {
  const lines = readFileSync(new URL('../.env.example', import.meta.url), 'utf8').split('\n');
  const named = lines.flatMap((line) => /^(?:# )?([A-Z_]+)=/.exec(line)?.[1] ?? []);
  const missing = SETTINGS.filter((name) => !named.includes(name) && !named.includes(`${name}_FILE`));
  assert.deepEqual(
    missing.filter((name) => !name.endsWith('_FILE')),
    [],
  );
  for (const name of named.filter((each) => each.startsWith('SLUICE_'))) assert.ok(SETTINGS.includes(name), name);
  for (const name of ['PORT', 'HOST', 'DATABASE_URL', 'DATABASE_REPLICA_URL', 'LOG_LEVEL', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
    assert.ok(named.includes(name), name);
  const defaults = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('=', 2));
  assert.deepEqual(readConfig(Object.fromEntries(defaults)), readConfig({}));
});

test('the business zone is a time zone of the IANA database', () => {
  assert.equal(readConfig({}).businessZone, 'America/New_York');
  assert.equal(readConfig({ SLUICE_BUSINESS_ZONE: 'Europe/London' }).businessZone, 'Europe/London');
  assert.match(problemsOf({ SLUICE_BUSINESS_ZONE: 'America/Gotham' }), /- SLUICE_BUSINESS_ZONE: expected a time zone/);
  assert.throws(() => readBusinessZone({ SLUICE_BUSINESS_ZONE: 'EDTX' }), ConfigError);
});

test('a misspelled setting is a problem, a setting of another program is none', () => {
  assert.match(problemsOf({ SLUICE_RATELIMIT: '5' }), /SLUICE_RATELIMIT is not a setting/);
  assert.equal(problemsOf({ RATE_LIMIT: 'x', PATH: '/bin' }), '');
});

test('production has no keys that a process made for itself', () => {
  const text = problemsOf({ SLUICE_ENVIRONMENT: 'production' });
  for (const name of ['SLUICE_SIGNING_KEY', 'SLUICE_ENCRYPTION_KEY'])
    assert.match(text, new RegExp(`${name} is required in production`));
  const keys = { SLUICE_SIGNING_KEY: pemOf('ed25519'), SLUICE_ENCRYPTION_KEY: 'k'.repeat(32) };
  assert.equal(problemsOf({ SLUICE_ENVIRONMENT: 'production', ...keys }), '');
});

test('a key that cannot sign is a problem everywhere, a short key of encryption in production, and neither is shown', () => {
  for (const key of ['hunter2!', pemOf('ed448')])
    assert.match(problemsOf({ SLUICE_SIGNING_KEY: key }), /SLUICE_SIGNING_KEY: expected an Ed25519 private key in PEM/);
  assert.equal(problemsOf({ SLUICE_SIGNING_KEY: pemOf('ed25519').replaceAll('\n', '\\n') }), '');
  const production = { SLUICE_ENVIRONMENT: 'production', SLUICE_SIGNING_KEY: pemOf('ed25519') };
  for (const name of ['SLUICE_ENCRYPTION_KEY', 'SLUICE_FINGERPRINT_KEY']) {
    const keys = { SLUICE_ENCRYPTION_KEY: 'k'.repeat(32), [name]: 'hunter2!' };
    assert.match(problemsOf({ ...production, ...keys }), new RegExp(`${name}: expected at least 16 characters`));
    assert.equal(problemsOf(keys), '');
    assert.doesNotMatch(problemsOf({ ...production, ...keys, SLUICE_SIGNING_KEY: 'hunter2!' }), /hunter2/);
  }
});

test('a secret may be in a file, which must be readable', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'url'), 'postgresql://somewhere/db\n');
  assert.equal(
    readConfig({ DATABASE_URL_FILE: join(folder, 'url'), DATABASE_URL: 'other' }).databaseUrl,
    'postgresql://somewhere/db',
  );
  assert.match(
    problemsOf({ SLUICE_SIGNING_KEY_FILE: join(folder, 'missing') }),
    /SLUICE_SIGNING_KEY_FILE: the file cannot be read/,
  );
});

test('the address of a database is one of PostgreSQL, and no problem shows it', () => {
  for (const url of [
    'postgres://db',
    'postgresql://us%40er:p%23w@db.example:5433/sluice?sslmode=verify-full',
    'postgresql:///sluice?host=/run',
  ])
    assert.equal(readConfig({ DATABASE_URL: url }).databaseUrl, url);
  for (const url of ['mysql://user:hunter2@db/sluice', 'hunter2', 'postgres:/db/hunter2', 'postgres://user:hunter2#@db/sluice']) {
    for (const name of ['DATABASE_URL', 'DATABASE_REPLICA_URL']) {
      const problems = problemsOf({ DATABASE_URL: 'postgres://db', [name]: url });
      assert.match(problems, new RegExp(`1 problem\\(s\\):\n- ${name}: expected postgresql://`));
      assert.doesNotMatch(problems, /hunter2/);
    }
  }
});

test('an empty file of a secret is a problem, and not a secret that is empty or not set', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'empty'), ' \n');
  const secrets = [
    'DATABASE_URL',
    'SLUICE_SIGNING_KEY',
    'SLUICE_ENCRYPTION_KEY',
    'SLUICE_FINGERPRINT_KEY',
    'SLUICE_OIDC_CLIENT_SECRET',
  ];
  for (const name of secrets)
    assert.match(problemsOf({ [`${name}_FILE`]: join(folder, 'empty') }), new RegExp(`${name}_FILE: the file is empty`));
});

test('a mail server needs a sender, and no problem shows its password', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'url'), 'smtps://us%40er:p%3A%2Fw@mail.example\n');
  assert.equal(readConfig({}).mail, null);
  assert.deepEqual(
    readConfig({ SLUICE_SMTP_URL_FILE: join(folder, 'url'), SLUICE_SMTP_FROM: 'Sluice Desk <Desk@Mail.Example>' }).mail,
    {
      server: { host: 'mail.example', port: 465, secure: true, user: 'us@er', password: 'p:/w' },
      from: { name: 'Sluice Desk', address: 'Desk@mail.example' },
    },
  );
  const plain = readConfig({ SLUICE_SMTP_URL: 'smtp://[::1]:2525/', SLUICE_SMTP_FROM: 'desk@mail.example' }).mail;
  assert.deepEqual(plain, {
    server: { host: '::1', port: 2525, secure: false, user: null, password: null },
    from: { name: null, address: 'desk@mail.example' },
  });
  assert.match(problemsOf({ SLUICE_SMTP_URL: 'smtp://mail.example' }), /SLUICE_SMTP_FROM is required/);
  const from = 'desk@mail.example';
  const urls = [
    'http://u:secret@h',
    'smtp://u:secret@',
    'smtp://u:secret@h/path',
    'smtp://u:secret@h?x=1',
    'smtp://u:%E0%A4%Asecret@h',
    'mail',
  ];
  for (const url of urls) {
    const text = problemsOf({ SLUICE_SMTP_URL: url, SLUICE_SMTP_FROM: from });
    assert.match(text, /SLUICE_SMTP_URL: expected/, url);
    assert.doesNotMatch(text, /secret/);
  }
  for (const wrong of [
    'desk',
    'Desk <desk>',
    'a@b.example, c@d.example',
    'Desk\r\nBcc: x@y.example <desk@mail.example>',
    '"Desk <desk@mail.example>',
  ])
    assert.match(problemsOf({ SLUICE_SMTP_URL: 'smtp://h', SLUICE_SMTP_FROM: wrong }), /SLUICE_SMTP_FROM: expected/, wrong);
});

test('addresses and stores are read whole or refused', () => {
  assert.deepEqual(readConfig({ SLUICE_STORAGE_URL: 's3://bucket/a/prefix/?endpoint=http://minio:9000&region=eu-1' }).storage, {
    kind: 's3',
    bucket: 'bucket',
    endpoint: 'http://minio:9000',
    region: 'eu-1',
    prefix: 'a/prefix',
  });
  for (const local of ['', 'file:']) assert.deepEqual(readConfig({ SLUICE_STORAGE_URL: local }).storage, { kind: 'file' });
  assert.deepEqual(readConfig({ SLUICE_WEBHOOK_ALLOW_NETS: 'none' }).webhooks.allowNets, ['none']);
  for (const empty of ['', ' , ']) assert.deepEqual(readConfig({ SLUICE_WEBHOOK_ALLOW_NETS: empty }).webhooks.allowNets, []);
  assert.deepEqual(readConfig({ SLUICE_METRICS_LISTEN: '[::1]:9000' }).metricsListen, { host: '::1', port: 9_000 });
  assert.equal(readConfig({ SLUICE_METRICS_LISTEN: 'off' }).metricsListen, null);
  assert.equal(readConfig({ SLUICE_PUBLIC_URL: 'https://api.example/' }).http.publicUrl, 'https://api.example');
  const wrong: Record<string, string>[] = [
    { SLUICE_STORAGE_URL: 'gs://bucket' },
    { SLUICE_STORAGE_URL: 'file:/mnt/objects' },
    { SLUICE_STORAGE_URL: 's3://' },
    { SLUICE_STORAGE_URL: 's3:///prefix' },
    { SLUICE_STORAGE_URL: 's3://bucket?Endpoint=http://minio:9000' },
    { SLUICE_STORAGE_URL: 's3://bucket?endpoint=minio:9000' },
    { SLUICE_STORAGE_URL: 's3://bucket?endpoint=' },
    { SLUICE_STORAGE_URL: 's3://key:secret@bucket' },
    { SLUICE_STORAGE_URL: 's3://bucket#prefix' },
    { SLUICE_METRICS_LISTEN: '9464' },
    { SLUICE_METRICS_LISTEN: 'host:99999' },
    { SLUICE_PUBLIC_URL: 'ftp://api.example' },
    { SLUICE_PUBLIC_URL: 'https://user:password@api.example' },
    { SLUICE_PUBLIC_URL: 'https://api.example/?tenant=1' },
    { SLUICE_PUBLIC_URL: 'https://api.example/#top' },
    { SLUICE_WEBHOOK_RETRIES: ' , ' },
    { SLUICE_WEBHOOK_RETRIES: '30s,0s' },
    { SLUICE_WEBHOOK_RETRIES: '99999999999999d' },
    { SLUICE_WEBHOOK_ALLOW_NETS: '10.0.0.0/33' },
  ];
  for (const env of wrong) {
    assert.notEqual(problemsOf(env), '', JSON.stringify(env));
  }
});
