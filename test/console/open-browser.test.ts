import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import type { Holder } from '../support/gateway.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { axeFindings } from '../support/screens.ts';
import { seededSandbox } from '../support/sandbox.ts';

let seller: SignedIn;
let operator: SignedIn;
let buyer: SignedIn;
let organization: Holder['organization_id'];
let offered: string;

const opened = consoleOfFile({
  prepare: async (gateway) => {
    const { originator, investor, platform } = await seededSandbox(gateway);
    const rights = ['ADMIN', 'EDIT', 'APPROVE', 'VIEW'] as const;
    organization = originator.organization_id;
    seller = await signedIn(gateway, organization, 'ann@seller.example', [...rights]);
    operator = await signedIn(gateway, platform.organization_id, 'olga@platform.example', [...rights]);
    buyer = await signedIn(gateway, investor.organization_id, 'bea@buyer.example', [...rights]);
    const market = await gateway.call('GET', '/v1/api/investor/deals?market_status=MARKETING', { as: investor });
    offered = market.body.data[0].deal_id;
  },
});

type Opening = {
  what: string;
  who: () => SignedIn;
  path: () => string;
  open: (page: Page) => Promise<void>;
  shown: (page: Page) => Promise<void>;
};

const OPENINGS: Opening[] = [
  {
    what: 'the palette with what it found',
    who: () => seller,
    path: () => '/',
    open: async (page) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('dialog', { name: 'Search' }).getByLabel('Search').fill('deals');
    },
    shown: (page) =>
      page
        .getByRole('dialog')
        .getByRole('button', { name: /^Deals/ })
        .waitFor(),
  },
  {
    what: 'the columns of a table',
    who: () => seller,
    path: () => '/deals',
    open: (page) => page.getByRole('button', { name: 'Columns of Deals' }).click(),
    shown: (page) => page.getByRole('menuitemcheckbox', { name: 'Loan type' }).waitFor(),
  },
  {
    what: 'the menu of a person',
    who: () => seller,
    path: () => '/deals',
    open: (page) => page.getByRole('button', { name: /^ann@seller/ }).click(),
    shown: (page) => page.getByRole('menuitem', { name: 'Dark' }).waitFor(),
  },
  {
    what: 'the fields of a rule, and its faults',
    who: () => seller,
    path: () => '/criteria/new?type=Auto',
    open: async (page) => {
      await page.getByRole('button', { name: 'Add a loan rule' }).click();
      await page.getByRole('alert', { name: 'Faults of Rule R1' }).waitFor();
      await page.keyboard.type('a');
    },
    shown: (page) => page.getByRole('option').nth(10).waitFor(),
  },
  {
    what: 'the menu of a rule',
    who: () => seller,
    path: () => '/criteria/new?type=Auto',
    open: async (page) => {
      await page.getByRole('button', { name: 'Add a loan rule' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Form of Rule R1' }).click();
    },
    shown: (page) => page.getByRole('menuitem', { name: 'Edit as text' }).waitFor(),
  },
  {
    what: 'an act that asks for a reason',
    who: () => operator,
    path: () => `/organizations/${organization}`,
    open: (page) => page.getByRole('button', { name: 'Suspend' }).click(),
    shown: (page) => page.getByRole('dialog', { name: 'Suspend' }).waitFor(),
  },
  {
    what: 'the tranches of a ticket',
    who: () => buyer,
    path: () => `/market/${offered}?tab=ticket`,
    open: (page) =>
      page
        .getByRole('textbox', { name: 'Tranche' })
        .or(page.getByRole('combobox', { name: 'Tranche' }))
        .click(),
    shown: (page) => page.getByRole('option').first().waitFor(),
  },
];

test('what opens over a screen is read by everybody, in both colours', { skip }, async (t) => {
  for (const { what, who, path, open, shown } of OPENINGS)
    await t.test(what, async () => {
      await using visited = await opened.enter(who(), path());
      const { page, complaints } = visited;
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.locator('h1').waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      await open(page);
      await shown(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        // What floats over a page is in none of its regions.
        const findings = (await axeFindings(page)).filter((finding) => !finding.startsWith('region '));
        assert.deepEqual(findings, [], colorScheme);
      }
      assert.deepEqual(
        complaints.filter((each) => !each.includes('status of 422')),
        [],
      );
    });
});
