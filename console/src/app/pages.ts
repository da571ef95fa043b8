import type { Me } from './session.ts';
import { buys, can, isOperator, sells } from './me.tsx';

/** A page of the navigation: who has it, and in which group it stands. */
export type PageEntry = { to: string; title: string; group: string; shown: (me: Me) => boolean };

const everybody = (): boolean => true;

/** Every page that a person can go to by name; the navigation and the command palette show those of the person. */
export const PAGES: readonly PageEntry[] = [
  { to: '/', title: 'Waiting for me', group: 'Work', shown: everybody },
  { to: '/deals', title: 'Deals', group: 'Work', shown: (me) => sells(me) || isOperator(me) },
  { to: '/criteria', title: 'Criteria', group: 'Work', shown: sells },
  { to: '/pools', title: 'Pools', group: 'Work', shown: sells },
  { to: '/pledges', title: 'Pledges', group: 'Work', shown: sells },
  { to: '/payments', title: 'Payments', group: 'Work', shown: sells },
  { to: '/market', title: 'Market', group: 'Work', shown: buys },
  { to: '/commitments', title: 'Commitments', group: 'Work', shown: buys },
  { to: '/portfolio', title: 'Portfolio', group: 'Work', shown: buys },
  { to: '/platform-pools', title: 'Pools', group: 'Work', shown: isOperator },
  { to: '/offerings', title: 'Offerings', group: 'Work', shown: isOperator },
  { to: '/settlement', title: 'Settlement', group: 'Work', shown: isOperator },
  { to: '/certificates', title: 'Certificates', group: 'Work', shown: isOperator },
  { to: '/waivers', title: 'Waivers', group: 'Work', shown: isOperator },
  { to: '/platform-pledges', title: 'Pledges', group: 'Work', shown: isOperator },
  { to: '/conflicts', title: 'Pledge conflicts', group: 'Work', shown: isOperator },
  { to: '/approvals', title: 'Approvals', group: 'Work', shown: isOperator },
  { to: '/alerts', title: 'Alerts', group: 'Work', shown: everybody },
  { to: '/organizations', title: 'Organizations', group: 'Platform', shown: isOperator },
  { to: '/fixings', title: 'Fixings', group: 'Platform', shown: isOperator },
  { to: '/jobs', title: 'Jobs and queues', group: 'Platform', shown: isOperator },
  { to: '/keys', title: 'Keys', group: 'Engineers', shown: (me) => isOperator(me) || can(me, 'ADMIN') },
  { to: '/webhooks', title: 'Webhooks', group: 'Engineers', shown: everybody },
  { to: '/deliveries', title: 'Deliveries', group: 'Engineers', shown: everybody },
  { to: '/requests', title: 'Requests', group: 'Engineers', shown: everybody },
  { to: '/events', title: 'Events', group: 'Engineers', shown: everybody },
  { to: '/sandbox', title: 'Sandbox', group: 'Engineers', shown: (me) => me.environment === 'development' },
  { to: '/profile', title: 'Compliance profile', group: 'Organization', shown: buys },
  { to: '/notifications', title: 'E-mail', group: 'Organization', shown: everybody },
  { to: '/members', title: 'Members', group: 'Organization', shown: everybody },
  { to: '/audit', title: 'Audit log', group: 'Organization', shown: everybody },
  { to: '/access-log', title: 'Access log', group: 'Organization', shown: everybody },
];
