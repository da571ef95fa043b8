import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../support/gateway.ts';
import { listDeal } from '../support/market.ts';
import { sharedPath, skipWithout } from '../support/shared.ts';
import { buildWorld, type World } from './attack-world.ts';
import { SCRIPTED } from './attack-scripts.ts';

type Case = {
  id: string;
  area: string;
  request: {
    method?: string;
    path?: string;
    token?: string | null;
    authorization?: string;
    jwt?: string;
    headers?: Record<string, string>;
    body?: unknown;
    rawBody?: string;
    contentType?: string | null;
    raw?: string;
    desc: string;
    gen?: string;
    steps?: string[];
    repeat?: unknown;
    profile?: string;
    base?: string;
  };
  accept: number[];
};

const FILE = 'data/attack-cases.json';
const file = sharedPath(FILE);
const cases = file ? (JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] }).cases : [];

test('attack cases', { skip: skipWithout(FILE) }, async (t) => {
  await using gateway = await startGateway({}, { bodyTimeoutMs: 2_000 });
  await using production = await startGateway({
    SLUICE_ENVIRONMENT: 'production',
    SLUICE_SIGNING_KEY: somePem(),
    SLUICE_ENCRYPTION_KEY: 'k'.repeat(43),
  });
  await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  await production.app.listen({ port: 0, host: '127.0.0.1' });
  const world = await buildWorld(gateway);
  const strict = { gateway: production, holder: await production.key('both', 'Acme') };
  for (const each of cases) {
    await t.test(`${each.id} ${each.area}: ${each.request.desc.slice(0, 80)}`, async () => {
      // An investor has one live indication per deal: each case that makes one has a deal of its own.
      if (each.request.path?.includes('{OPEN_DEAL}'))
        world.names.OPEN_DEAL = (await listDeal(gateway, world.tokens.B_BOTH as Holder)).deal_id;
      const scripted = SCRIPTED[each.id];
      if (scripted) return scripted(gateway, world);
      const seen = each.request.raw
        ? await sendRaw(gateway, each.request.raw)
        : await send(
            each,
            each.request.profile === 'production' ? strict.gateway : gateway,
            each.request.profile === 'production' ? strict.holder : null,
            world,
          );
      assert.ok(
        each.accept.includes(seen.status),
        `answered ${seen.status}, accepted ${each.accept.join()}: ${seen.text.slice(0, 300)}`,
      );
      if (seen.status >= 400 && each.request.method !== 'HEAD') checkEnvelope(seen.status, seen.text);
      if (seen.status === 401) assert.match(String(seen.headers['www-authenticate']), /Bearer/);
    });
  }
});

type Seen = { status: number; text: string; headers: Record<string, unknown> };

function checkEnvelope(status: number, text: string): void {
  const body = JSON.parse(text) as Record<string, unknown>;
  assert.equal(body.success, false);
  assert.equal(body.statusCode, status);
  assert.equal(typeof body.message, 'string');
  assert.equal(typeof body.code, 'string');
  assert.equal(typeof body.request_id, 'string');
}

async function send({ request: asked }: Case, gateway: Gateway, production: Holder | null, world: World): Promise<Seen> {
  const holder = production ?? (asked.token ? world.tokens[asked.token] : undefined);
  if (asked.token && !holder) throw new Error(`no token ${asked.token}`);
  const token = holder
    ? asked.jwt
      ? forge(holder, asked.jwt, world)
      : asked.base
        ? world.otherEnvironment
        : holder.token
    : null;
  const authorization = asked.authorization?.replace('{TOK}', token ?? '') ?? (token ? `Bearer ${token}` : undefined);
  const text = fill(asked.rawBody ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body)), world);
  const contentType =
    asked.contentType === undefined ? (text === undefined ? undefined : 'application/json') : (asked.contentType ?? undefined);
  return exchange(gateway, {
    method: asked.method ?? 'GET',
    path: (fill(asked.path ?? '', world) ?? '').replace('{TOK}', world.tokens.A_BOTH?.token ?? ''),
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(contentType ? { 'content-type': contentType } : {}),
      ...Object.fromEntries(Object.entries(asked.headers ?? {}).map(([name, value]) => [name, fill(value, world) ?? ''])),
    },
    body: text,
  });
}

type Exchange = { method: string; path: string; headers: Record<string, string>; body: string | undefined };

/** A real request over a socket: what an HTTP library would mend or refuse goes out as it is. */
function exchange(gateway: Gateway, wanted: Exchange): Promise<Seen> {
  const { port } = gateway.app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port, host: '127.0.0.1', method: wanted.method, path: wanted.path, headers: wanted.headers, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(wanted.body);
  });
}

const ROUTES: Record<string, string> = {
  '@loan.initiate': '/v1/api/originator/loans/initiate',
  '@loan.complete': '/v1/api/originator/loans/complete',
  '@loan.bulk': '/v1/api/originator/loans/bulk',
  '@health': '/livez',
};

/** Fills the names of the world and the generated texts into a case. */
function fill(text: string | undefined, world: World): string | undefined {
  if (text === undefined) return undefined;
  if (ROUTES[text]) return ROUTES[text];
  if (text === '<gen:"["*100000>') return '['.repeat(100_000);
  if (text === '<gen:200000 keys>') return `{${Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
  return text
    .replace(/<gen:a\*(\d+)>/g, (_all, count: string) => 'a'.repeat(Number(count)))
    .replace(/\{([A-Z_]+)\}/g, (all, name: string) => world.names[name] ?? all);
}

async function sendRaw(gateway: Gateway, text: string): Promise<Seen> {
  const { port } = gateway.app.server.address() as AddressInfo;
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let got = '';
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString();
      if (got.includes('\r\n\r\n') && got.endsWith('}')) socket.destroy();
    });
    socket.on('close', () => resolve(got));
    socket.on('error', reject);
    socket.setTimeout(60_000, () => socket.destroy());
  });
  const [head = '', ...body] = answer.split('\r\n\r\n');
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [line.split(':')[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(head.split(' ')[1] ?? 0), text: body.join('\r\n\r\n'), headers };
}

/** A token bent the way a case asks; what can only be done with a key is signed with the wrong one, as an attacker would. */
function forge(holder: Holder, how: string, world: World): string {
  const [head = '', payload = '', signature = ''] = holder.token.split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  if (how === 'strip-signature') return `${head}.${payload}.`;
  if (how === 'suffix===') return `${holder.token}==`;
  if (how.startsWith('tamper:')) return `${head}.${encode({ ...decode(payload), role: 'both ' })}.${signature}`;
  if (how.startsWith('alg=none')) return `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`;
  const claims = decode(payload);
  const header: Record<string, unknown> = decode(head);
  for (const part of how.split(';')) {
    const [name = '', value = ''] = part.split(/=(.*)/s);
    if (name.startsWith('header.')) header[name.slice(7)] = value;
    else if (name === 'exp')
      claims.exp = value.startsWith('"') ? value.slice(1, -1) : Math.floor(Date.now() / 1000) + Number(value);
    else if (name === 'nbf') claims.nbf = Math.floor(Date.now() / 1000) + Number(value);
    else if (name === 'aud') claims.aud = value;
    else if (name === 'role') claims.role = ['both'];
    else if (name === 'typ') header.typ = value;
    else if (name === 'alg') header.alg = value;
    else if (name === 'key') header.alg = 'HS256';
  }
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), world.signingKey).toString('base64url')}`;
}

function somePem(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
