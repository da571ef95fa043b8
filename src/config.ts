import { resolve } from 'node:path';
import { isNet, problemOfNets } from './platform/net/addresses.ts';
import { normalizeEmail } from './platform/net/email-address.ts';
import { readTokenKeys } from './platform/tokens.ts';
import { readSecret } from './read-secret.ts';

export const ENVIRONMENTS = ['development', 'staging', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export type Config = {
  environment: Environment;
  http: { host: string; port: number; publicUrl: string | null };
  /** The address at which the process serves its metrics; null: it serves none. */
  metricsListen: { host: string; port: number } | null;
  /** Whether the API reference (`/docs`) and the console (`/console`) are served. */
  pages: { docs: boolean; console: boolean };
  dataDir: string;
  databaseUrl: string | null;
  /** A server that follows the one of `databaseUrl`, for reads. */
  databaseReplicaUrl: string | null;
  storage: { kind: 'file' } | { kind: 's3'; bucket: string; endpoint: string | null; region: string; prefix: string };
  /** The OpenID provider with which people sign in; null: nobody does, except in Development by a page that asks who one is. */
  identityProvider: { issuer: string; clientId: string; clientSecret: string | null } | null;
  signingKey: string | null;
  encryptionKey: string | null;
  fingerprintKey: string | null;
  rateLimit: number;
  /** Networks of the proxies whose X-Forwarded-For names the sender of a request. */
  trustedProxies: readonly string[];
  /** The time zone whose dates are the dates of the business, such as `America/New_York`. */
  businessZone: string;
  webhooks: { retriesMs: number[]; allowNets: string[] | null };
  /** The mail server that sends notices, and the sender that they name; null: no e-mail is sent. */
  mail: { server: MailServer; from: MailSender } | null;
  /** Whether the requests of organizations are logged for them. */
  requestLog: boolean;
  logLevel: string;
  /** The collector of spans (OTLP over HTTP). */
  tracesEndpoint: string | null;
};

export type MailServer = {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps:`); otherwise STARTTLS, which is required before a password is sent to another machine. */
  secure: boolean;
  user: string | null;
  password: string | null;
};
export type MailSender = { name: string | null; address: string };

/** A start-up failure that lists every problem of the settings at once. */
export class ConfigError extends Error {}

/** Every setting that begins with SLUICE_. */
export const SETTINGS: readonly string[] = [
  'SLUICE_DATA_DIR',
  'SLUICE_STORAGE_URL',
  'SLUICE_ENVIRONMENT',
  'SLUICE_PUBLIC_URL',
  'SLUICE_OIDC_ISSUER',
  'SLUICE_OIDC_CLIENT_ID',
  'SLUICE_OIDC_CLIENT_SECRET',
  'SLUICE_OIDC_CLIENT_SECRET_FILE',
  'SLUICE_SIGNING_KEY',
  'SLUICE_SIGNING_KEY_FILE',
  'SLUICE_ENCRYPTION_KEY',
  'SLUICE_ENCRYPTION_KEY_FILE',
  'SLUICE_FINGERPRINT_KEY',
  'SLUICE_FINGERPRINT_KEY_FILE',
  'SLUICE_RATE_LIMIT',
  'SLUICE_TRUSTED_PROXIES',
  'SLUICE_BUSINESS_ZONE',
  'SLUICE_WEBHOOK_RETRIES',
  'SLUICE_WEBHOOK_ALLOW_NETS',
  'SLUICE_SMTP_URL',
  'SLUICE_SMTP_URL_FILE',
  'SLUICE_SMTP_FROM',
  'SLUICE_METRICS_LISTEN',
  'SLUICE_DOCS',
  'SLUICE_CONSOLE',
  'SLUICE_REQUEST_LOG',
  // Of commands that are clients of a gateway, which a shell may export beside those of the gateway.
  'SLUICE_URL',
  'SLUICE_KEY',
  'SLUICE_KEY_FILE',
  'SLUICE_PROFILE',
];

const DEFAULT_ZONE = 'America/New_York';
/** A text made at random of fewer characters can be guessed. */
const SHORTEST_KEY = 16;
const ON_OFF = ['on', 'off'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
/** Deliveries are kept for 90 days: one that waits for longer would be dropped before its attempt. */
const LONGEST_RETRY_MS = 30 * 86_400_000;
const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The business zone alone, for commands that need no other setting; throws a ConfigError when it is none. */
export function readBusinessZone(env: Record<string, string | undefined>): string {
  const problems: string[] = [];
  const zone = timeZone(env.SLUICE_BUSINESS_ZONE || DEFAULT_ZONE, problems);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return zone;
}

/** Reads the settings; throws a ConfigError that lists every problem. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  for (const name of Object.keys(env)) {
    if (name.startsWith('SLUICE_') && !SETTINGS.includes(name)) problems.push(`${name} is not a setting`);
  }
  const read = <Value extends number | number[]>(
    name: string,
    fallback: Value,
    parse: (text: string) => Value | string,
  ): Value => {
    const text = env[name];
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (typeof value !== 'string') return value;
    problems.push(`${name}: ${value}`);
    return fallback;
  };
  const config: Config = {
    environment: choice(env, 'SLUICE_ENVIRONMENT', ENVIRONMENTS, 'development', problems),
    http: {
      host: env.HOST || '127.0.0.1',
      port: read('PORT', 8080, (text) => wholeNumber(text, 0, 65_535)),
      publicUrl: publicUrl(env, problems),
    },
    metricsListen: listenAddress(env.SLUICE_METRICS_LISTEN || '127.0.0.1:9464', problems),
    pages: {
      docs: choice(env, 'SLUICE_DOCS', ON_OFF, 'on', problems) === 'on',
      console: choice(env, 'SLUICE_CONSOLE', ON_OFF, 'on', problems) === 'on',
    },
    dataDir: resolve(env.SLUICE_DATA_DIR || '.sluice'),
    databaseUrl: databaseAddress(env, 'DATABASE_URL', problems),
    databaseReplicaUrl: databaseAddress(env, 'DATABASE_REPLICA_URL', problems),
    storage: storage(env.SLUICE_STORAGE_URL, problems),
    identityProvider: identityProvider(env, problems),
    signingKey: readSecret(env, 'SLUICE_SIGNING_KEY', problems),
    encryptionKey: readSecret(env, 'SLUICE_ENCRYPTION_KEY', problems),
    fingerprintKey: readSecret(env, 'SLUICE_FINGERPRINT_KEY', problems),
    rateLimit: read('SLUICE_RATE_LIMIT', 100, (text) => wholeNumber(text, 1, 1_000_000_000)),
    trustedProxies: proxies(env.SLUICE_TRUSTED_PROXIES, problems),
    businessZone: timeZone(env.SLUICE_BUSINESS_ZONE || DEFAULT_ZONE, problems),
    webhooks: {
      retriesMs: read('SLUICE_WEBHOOK_RETRIES', durations('30s,5m,30m,2h,6h,12h') as number[], durations),
      allowNets: nets(env.SLUICE_WEBHOOK_ALLOW_NETS, problems),
    },
    mail: mail(env, problems),
    requestLog: choice(env, 'SLUICE_REQUEST_LOG', ON_OFF, 'on', problems) === 'on',
    logLevel: choice(env, 'LOG_LEVEL', LOG_LEVELS, 'info', problems),
    tracesEndpoint: httpAddress(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', problems),
  };
  if (config.databaseReplicaUrl && !config.databaseUrl) problems.push('DATABASE_URL is required beside DATABASE_REPLICA_URL');
  checkKeys(config, problems);
  if (problems.length > 0) throw new ConfigError(`the settings have ${problems.length} problem(s):\n- ${problems.join('\n- ')}`);
  return Object.freeze(config);
}

/** The problems never hold the keys. */
function checkKeys({ environment, signingKey, encryptionKey, fingerprintKey }: Config, problems: string[]): void {
  if (signingKey && !canSign(signingKey)) problems.push('SLUICE_SIGNING_KEY: expected an Ed25519 private key in PEM (PKCS#8)');
  if (environment !== 'production') return;
  if (!signingKey) problems.push('SLUICE_SIGNING_KEY is required in production');
  if (!encryptionKey) problems.push('SLUICE_ENCRYPTION_KEY is required in production');
  for (const [name, key] of Object.entries({ SLUICE_ENCRYPTION_KEY: encryptionKey, SLUICE_FINGERPRINT_KEY: fingerprintKey })) {
    if (key && key.length < SHORTEST_KEY)
      problems.push(`${name}: expected at least ${SHORTEST_KEY} characters in production, such as openssl rand -base64 32 makes`);
  }
}

function canSign(signingKey: string): boolean {
  try {
    readTokenKeys(signingKey);
    return true;
  } catch {
    return false;
  }
}

function identityProvider(env: Record<string, string | undefined>, problems: string[]): Config['identityProvider'] {
  // As it is written: the provider's own spelling, with its slash at the end or without.
  const issuer = httpAddress(env, 'SLUICE_OIDC_ISSUER', problems) === null ? null : (env.SLUICE_OIDC_ISSUER ?? null);
  const clientId = env.SLUICE_OIDC_CLIENT_ID || null;
  const clientSecret = readSecret(env, 'SLUICE_OIDC_CLIENT_SECRET', problems);
  if (issuer === null) {
    if (clientId !== null || clientSecret !== null)
      problems.push('SLUICE_OIDC_ISSUER is required beside SLUICE_OIDC_CLIENT_ID and SLUICE_OIDC_CLIENT_SECRET');
    return null;
  }
  if (clientId === null) problems.push('SLUICE_OIDC_CLIENT_ID is required beside SLUICE_OIDC_ISSUER');
  const { protocol, hostname } = new URL(issuer);
  // Who can change what the provider says is anybody.
  if (protocol !== 'https:' && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    problems.push('SLUICE_OIDC_ISSUER: expected an https address; http is for a provider on this machine');
  return { issuer, clientId: clientId ?? '', clientSecret };
}

function choice<Value extends string>(
  env: Record<string, string | undefined>,
  name: string,
  values: readonly Value[],
  fallback: Value,
  problems: string[],
): Value {
  const text = env[name];
  if (!text) return fallback;
  if ((values as readonly string[]).includes(text)) return text as Value;
  problems.push(`${name}: expected one of ${values.join(', ')}`);
  return fallback;
}

function wholeNumber(text: string, least: number, most: number): number | string {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : `expected a whole number from ${least} to ${most}`;
}

function timeZone(text: string, problems: string[]): string {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    problems.push('SLUICE_BUSINESS_ZONE: expected a time zone of the IANA database such as America/New_York or UTC');
    return text;
  }
}

function listenAddress(text: string, problems: string[]): Config['metricsListen'] {
  if (text === 'off') return null;
  const [, host, port] = /^(\[[\da-fA-F:.]+\]|[^\s:[\]/]+):(\d{1,5})$/.exec(text) ?? [];
  if (host && Number(port) <= 65_535) return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  problems.push('SLUICE_METRICS_LISTEN: expected an address and a port such as 127.0.0.1:9464 or [::1]:9464, or off');
  return null;
}

function durations(text: string): number[] | string {
  const parts = list(text).map((part) => /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(part));
  if (parts.length === 0 || parts.some((part) => part === null)) return 'expected durations such as 30s,5m,2h';
  const lengths = parts.map((part) => Number(part?.[1]) * (UNITS_MS[part?.[2] ?? ''] ?? 0));
  return lengths.some((ms) => ms < 1 || ms > LONGEST_RETRY_MS) ? 'expected durations from 1ms to 30d each' : lengths;
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

function nets(text: string | undefined, problems: string[]): string[] | null {
  if (text === undefined) return null;
  // Empty is none, and never the default, which allows more.
  const problem = problemOfNets(list(text));
  if (problem) problems.push(`SLUICE_WEBHOOK_ALLOW_NETS: ${problem}`);
  return problem ? null : list(text);
}

function proxies(text: string | undefined, problems: string[]): string[] {
  const networks = list(text ?? '');
  if (networks.every(isNet)) return networks;
  problems.push('SLUICE_TRUSTED_PROXIES: expected networks such as 10.1.0.0/16 or 192.0.2.7/32, with commas between them');
  return [];
}

/** The problems never hold the address: it has a password in it. */
function mail(env: Record<string, string | undefined>, problems: string[]): Config['mail'] {
  const address = readSecret(env, 'SLUICE_SMTP_URL', problems);
  const from = env.SLUICE_SMTP_FROM || null;
  const server = address === null ? null : mailServer(address);
  const sender = from === null ? null : mailSender(from);
  if (address !== null && !server) {
    problems.push(
      'SLUICE_SMTP_URL: expected smtp://user:password@host:port or smtps://…, with special characters percent-encoded',
    );
  }
  if (address !== null && from === null)
    problems.push('SLUICE_SMTP_FROM is required with SLUICE_SMTP_URL: the sender of e-mails');
  if (from !== null && !sender) problems.push('SLUICE_SMTP_FROM: expected notices@example.com or Name <notices@example.com>');
  return server && sender ? { server, from: sender } : null;
}

const SMTP_PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 };

function mailServer(text: string): MailServer | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, search } = new URL(text);
  const standard = SMTP_PORTS[protocol];
  if (standard === undefined || hostname === '' || !['', '/'].includes(pathname) || search !== '') return null;
  try {
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? standard : Number(port),
      secure: protocol === 'smtps:',
      user: decodeURIComponent(username) || null,
      password: decodeURIComponent(password) || null,
    };
  } catch {
    return null;
  }
}

function mailSender(text: string): MailSender | null {
  const [, name, named, bare] = /^(?:([^<>"\p{Cc}]*?)\s*<([^<>\s]+)>|([^<>\s]+))$/u.exec(text.trim()) ?? [];
  const address = normalizeEmail(named ?? bare ?? '');
  return address === null ? null : { name: name || null, address };
}

/** The problem never holds the address: it has a password in it. */
function databaseAddress(env: Record<string, string | undefined>, name: string, problems: string[]): string | null {
  const text = readSecret(env, name, problems);
  if (text === null || (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text))) return text;
  problems.push(
    `${name}: expected postgresql://user:password@host:port/database, with special characters of the password percent-encoded`,
  );
  return null;
}

function httpAddress(env: Record<string, string | undefined>, name: string, problems: string[]): string | null {
  const text = env[name];
  if (!text) return null;
  if (isHttp(text)) return text.replace(/\/+$/, '');
  problems.push(`${name}: expected an http(s) address`);
  return null;
}

/** Addresses are made of it by adding a path, and customers see them. */
function publicUrl(env: Record<string, string | undefined>, problems: string[]): string | null {
  const url = httpAddress(env, 'SLUICE_PUBLIC_URL', problems);
  if (url === null || !(/[?#]/.test(url) || new URL(url).username || new URL(url).password)) return url;
  problems.push('SLUICE_PUBLIC_URL: expected an address without user, password, question mark and #');
  return null;
}

const isHttp = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const STORAGE_OPTIONS = ['endpoint', 'region'];

function storage(text: string | undefined, problems: string[]): Config['storage'] {
  if (!text || text === 'file:') return { kind: 'file' };
  const url = text.startsWith('s3://') && URL.canParse(text) ? new URL(text) : null;
  const problem = url === null ? 'expected file: or s3://bucket?endpoint=…&region=…' : problemOfBucket(url);
  if (url === null || problem !== null) {
    problems.push(`SLUICE_STORAGE_URL: ${problem}`);
    return { kind: 'file' };
  }
  return {
    kind: 's3',
    bucket: url.hostname,
    endpoint: url.searchParams.get('endpoint'),
    region: url.searchParams.get('region') ?? 'us-east-1',
    prefix: url.pathname.replace(/^\/+|\/+$/g, ''),
  };
}

/** What would be left out without a word, or fail at the first object alone. */
function problemOfBucket({ hostname, host, username, password, hash, searchParams }: URL): string | null {
  if (hostname === '' || host !== hostname) return 'expected the name of a bucket after s3://';
  if (username || password) return 'credentials come from the usual AWS sources, not from the address';
  if (hash) return 'expected no # in the address';
  if ([...searchParams.keys()].some((name) => !STORAGE_OPTIONS.includes(name)))
    return 'expected endpoint and region alone after the question mark, in small letters';
  const endpoint = searchParams.get('endpoint');
  if (endpoint !== null && !isHttp(endpoint)) return 'expected an http(s) address as the endpoint, such as https://s3.example';
  return searchParams.get('region') === '' ? 'the region is empty' : null;
}
