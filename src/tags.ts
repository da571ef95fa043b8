import type { Tag } from './platform/http/openapi.ts';

/** The chapters of the API reference, in the order of the specification: who everybody is, the seller's side, the buyer's side, notices, the operator. */
export const TAGS: readonly Tag[] = [
  {
    name: 'Keys and organizations',
    description: 'Your key and its rate limit, the members of your organization, who did what with your records, and search.',
  },
  { name: 'Requests', description: 'The log of the requests of your keys in the last 30 days, and what each of them caused.' },
  {
    name: 'Loan tapes',
    description: 'Loan tapes in: upload, mapping of the columns, checks, issues, and the versions of a tape.',
  },
  { name: 'Loan deals', description: 'The deals behind loan tapes, with their checks, their history and their withdrawal.' },
  { name: 'Uploads', description: 'The bytes of a file, sent to the signed address that an `initiate` returned.' },
  { name: 'Monthly tapes', description: 'The servicer’s tapes of an issued pool, period by period.' },
  {
    name: 'Selection criteria',
    description: 'Criteria sets, their runs over the loans of a deal, exception files, waivers and cures.',
  },
  { name: 'Pools', description: 'Pools of approved loans, their structure, servicer reports, performance and payments.' },
  { name: 'Pledges', description: 'Loans that are pledged outside the platform, and loans that are held twice.' },
  { name: 'Analytics', description: 'Strats, vintages and risk of deals and pools, and calculations of structures.' },
  { name: 'Deal room', description: 'Documents of a deal: upload, versions, visibility, and who has read them.' },
  { name: 'Investor deals', description: 'Deals on the market: tranches, disclosed loans, analytics, calculations of your own.' },
  { name: 'Compliance profile', description: 'Your compliance facts, and the tax forms that you file.' },
  { name: 'Indications of interest', description: 'Interest in a deal, without commitment.' },
  { name: 'Subscriptions', description: 'Commitments to a deal, after compliance checks.' },
  { name: 'Orders', description: 'Orders in the book of a tranche.' },
  { name: 'Allocations', description: 'What the books gave you: accept it, decline it, or recompute it.' },
  { name: 'Trades', description: 'Your trades and their settlement.' },
  { name: 'Portfolio', description: 'Positions, exposures, statements, payments, and your book under scenarios.' },
  { name: 'Alerts', description: 'Notices for people: a list, a stream, and e-mail.' },
  { name: 'Events', description: 'The log of events: what webhooks deliver, in order.' },
  { name: 'Data sharing', description: 'Programs of other makes that read your loan tables over Delta Sharing.' },
  { name: 'Webhook subscriptions', description: 'Receivers of events: their address, events, secret and recovery.' },
  { name: 'Webhook deliveries', description: 'What was sent to your receivers, with every attempt.' },
  { name: 'Operator', description: 'What the operator of the platform reads and decides.' },
  { name: 'Approvals', description: 'Acts of the operator that need several people: how many, what waits, and who decides.' },
  { name: 'Operator’s own notices', description: 'The operator’s own alerts, events, requests and webhook subscriptions.' },
  { name: 'Sandbox', description: 'Records to try with, a clock that advances, and events on demand. Absent in production.' },
];
