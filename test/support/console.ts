import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { JOB_NAMES } from '../../src/job-names.ts';
import { jobHandlers } from '../../src/worker.ts';
import { type Gateway, startGateway } from './gateway.ts';
import type { SignedIn } from './people.ts';
import { until } from './until.ts';

export const CHROMIUM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));
export const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Why the tests with a browser are left out, or false. */
export const withoutBrowser = CHROMIUM ? false : 'skipped: there is no Chromium on this machine';

/** A page, and what it did that it should not: errors, refusals by its policy, requests to other places. */
export type Visit = { page: Page; complaints: string[] } & AsyncDisposable;

export type ConsoleUnderTest = {
  gateway: Gateway;
  /** Opens the console in a browser of its own, as one of them or, without, at the door. */
  enter(person: SignedIn | null, path?: string): Promise<Visit>;
} & AsyncDisposable;

/** A gateway behind a real port, with a worker unless the test runs the jobs itself, and a browser to look at it with. */
export async function openConsole({ worker = true, scrollbars = false } = {}): Promise<ConsoleUnderTest> {
  const gateway = await startGateway();
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const address = `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}`;
  gateway.deps.setPublicUrl(address);
  if (worker) await workBeside(gateway);
  const browser = await chromium.launch({
    executablePath: CHROMIUM as string,
    args: QUIET,
    ...(scrollbars ? { ignoreDefaultArgs: ['--hide-scrollbars'] } : {}),
  });
  return {
    gateway,
    enter: (person, path = '/') => enter(browser, address, person, path),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

/** Starts a worker. From then on `runJobs` also waits for the jobs that the worker took first. */
async function workBeside(gateway: Gateway): Promise<void> {
  const { db, jobs } = gateway.deps;
  await jobs.work(jobHandlers(gateway.deps));
  const drain = gateway.runJobs;
  const idle = () =>
    db.tx({ platform: true }, async (tx) => {
      for (const name of JOB_NAMES) if ((await jobs.live(tx, name)).length > 0) return false;
      return true;
    });
  gateway.runJobs = async () => {
    const done = await drain();
    await until(idle, 60_000, 'the end of all jobs');
    return done;
  };
}

/** One console for all the tests of a file, opened before them where there is a browser, with what `prepare` puts into it. */
export function consoleOfFile({
  prepare,
  ...options
}: Parameters<typeof openConsole>[0] & { prepare?: (gateway: Gateway) => Promise<void> } = {}): Pick<
  ConsoleUnderTest,
  'gateway' | 'enter'
> {
  let opened: ConsoleUnderTest | undefined;
  before(async () => {
    if (withoutBrowser) return;
    opened = await openConsole(options);
    await prepare?.(opened.gateway);
  });
  after(() => opened?.[Symbol.asyncDispose]());
  const there = (): ConsoleUnderTest => opened as ConsoleUnderTest;
  return {
    get gateway() {
      return there().gateway;
    },
    enter: (person, path) => there().enter(person, path),
  };
}

async function enter(browser: Browser, address: string, person: SignedIn | null, path: string): Promise<Visit> {
  const visited = await open(browser, address);
  const { page } = visited;
  const [name = '', value = ''] = person?.headers.cookie.split('=') ?? [];
  if (person) await page.context().addCookies([{ name, value, url: address }]);
  await page.goto(`${address}/console${path}`);
  return visited;
}

/** A page of a browser of its own, and what it complains of. */
async function open(browser: Browser, address: string): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 } });
  // On a busy machine a tape may wait for its turn longer than a browser's usual patience.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on(
    'console',
    (message) => void (message.type() === 'error' && complaints.push(`${message.text()} ${message.location().url}`)),
  );
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${address}/`) && !/^(data|blob):/.test(request.url())) complaints.push(request.url());
  });
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** Confirms in the dialog, after what it asks for by these labels. */
export async function sure({ page }: Visit, name: string, asked: Record<string, string> = {}): Promise<void> {
  const dialog = page.getByRole('dialog');
  for (const [label, text] of Object.entries(asked)) await dialog.getByLabel(label).fill(text);
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** What a browser does when its window is looked at again after that time: the page reads anew what is old. */
export const comeBack = (page: Page, seconds: number): Promise<unknown> =>
  page.evaluate(`{
    const now = Date.now.bind(Date);
    Date.now = () => now() + ${seconds * 1_000};
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }`);
