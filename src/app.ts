import type { FastifyInstance } from 'fastify';
import { addConsole } from './console.ts';
import { describerOf } from './description.ts';
import { accessRoutes } from './features/accesses/routes.ts';
import { alertRoutes, operatorAlertRoutes } from './features/alerts/routes.ts';
import { investorCalculationRoutes } from './features/calculations/investor-routes.ts';
import { portfolioRunRoutes } from './features/calculations/portfolio-run-routes.ts';
import { performanceRoutes } from './features/calculations/performance-routes.ts';
import { calculationRoutes } from './features/calculations/routes.ts';
import { investorAnalyticsRoutes } from './features/strats/investor-routes.ts';
import { loanAnalyticsRoutes } from './features/strats/routes.ts';
import { allocationRoutes } from './features/allocations/routes.ts';
import { bookRoutes } from './features/books/routes.ts';
import { orderRoutes } from './features/orders/routes.ts';
import { subscriptionRoutes } from './features/subscriptions/routes.ts';
import { exceptionRoutes } from './features/criteria/exception-routes.ts';
import { criteriaRunRoutes } from './features/criteria/run-routes.ts';
import { criteriaSetRoutes } from './features/criteria/set-routes.ts';
import { dealRoutes } from './features/deals/routes.ts';
import { investorDocumentRoutes } from './features/documents/investor-routes.ts';
import { profileRoutes } from './features/documents/profile-routes.ts';
import { documentRoutes } from './features/documents/routes.ts';
import { eventRoutes, operatorEventRoutes } from './features/events/routes.ts';
import { notificationRoutes, operatorNotificationRoutes } from './features/notifications/routes.ts';
import { addUnsubscribePage } from './features/notifications/unsubscribe-page.ts';
import { healthRoutes } from './features/health/routes.ts';
import { fixingRoutes } from './features/fixings/routes.ts';
import { ioiRoutes } from './features/iois/routes.ts';
import { approvalGate } from './features/approvals/ask-approval.ts';
import { approvalRoutesOver } from './features/approvals/routes.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { createPersonAuthenticator } from './features/sessions/authenticate-person.ts';
import { addSignIn } from './features/sessions/endpoint.ts';
import { isCallerInForce } from './features/sessions/queries.ts';
import { createAuthenticator } from './features/keys/authenticate.ts';
import { organizationRoutes } from './features/organizations/routes.ts';
import { keyRoutes } from './features/keys/routes.ts';
import { memberRoutes, operatorMemberRoutes } from './features/members/routes.ts';
import { marketOperatorRoutes } from './features/lifecycle/routes.ts';
import { cancelTradeRoutes } from './features/lifecycle/trade-routes.ts';
import { withdrawRoutes } from './features/lifecycle/withdraw-routes.ts';
import { marketRoutes } from './features/marketplace/routes.ts';
import { watchRoutes } from './features/marketplace/watch-routes.ts';
import { disclosedLoanRoutes } from './features/securitizations/disclosed-loan-routes.ts';
import { poolOperatorRoutes } from './features/securitizations/routes.ts';
import { pledgeRoutes } from './features/pledges/routes.ts';
import { servicingRoutes } from './features/servicing/routes.ts';
import { remittanceRoutes } from './features/remittances/routes.ts';
import { disclosureRoutes } from './features/pools/disclosure-routes.ts';
import { poolRoutes } from './features/pools/routes.ts';
import { templateRoutes } from './features/pools/templates/routes.ts';
import { paymentRoutes } from './features/payments/routes.ts';
import { exposureRoutes } from './features/portfolio/exposure-routes.ts';
import { calendarRoutes } from './features/portfolio/calendar-routes.ts';
import { portfolioRoutes } from './features/portfolio/routes.ts';
import { statementRoutes } from './features/portfolio/statement-routes.ts';
import { searchRoutes } from './features/search/routes.ts';
import { operatorRequestRoutes, requestRoutes } from './features/requests/routes.ts';
import { sandboxRoutes } from './features/sandbox/routes.ts';
import { shareRecipientRoutes } from './features/sharing/routes.ts';
import { addDeltaSharing } from './features/sharing/endpoint.ts';
import { tapeCheckRoutes } from './features/tapes/check-routes.ts';
import { tapeMappingRoutes } from './features/tapes/mapping-routes.ts';
import { jobRoutes } from './features/tapes/job-routes.ts';
import { loanHistoryRoutes } from './features/tapes/history-routes.ts';
import { tapeRoutes } from './features/tapes/routes.ts';
import { personalDataRoutes } from './features/tapes/personal-data-routes.ts';
import { tapeVersionRoutes } from './features/tapes/version-routes.ts';
import { tapeViewRoutes } from './features/tapes/view-routes.ts';
import { uploadRoutes } from './features/uploads/routes.ts';
import { tradeRoutes } from './features/trades/routes.ts';
import { deliveryOperatorRoutes, deliveryRoutes } from './features/webhooks/delivery-routes.ts';
import { operatorWebhookRoutes, webhookRoutes } from './features/webhooks/routes.ts';
import { addMcp } from './mcp/endpoint.ts';
import { operatorReadRoutes } from './operator-reads.ts';
import { neededScopes } from './scopes.ts';
import { LOAN_TYPES } from './loans/types.ts';
import type { Deps } from './platform/deps.ts';
import type { ErrorCode } from './platform/http/errors.ts';
import type { HttpOptions, Spellings } from './platform/http/options.ts';
import { addPages } from './platform/http/pages.ts';
import type { Route } from './platform/http/route.ts';
import { buildServer } from './platform/http/server.ts';

/** Every route of the gateway, in the order of the specification. */
export const ROUTES: readonly Route[] = [
  ...keyRoutes,
  ...memberRoutes,
  ...operatorMemberRoutes,
  ...organizationRoutes,
  ...approvalRoutesOver(() => ROUTES),
  ...auditRoutes,
  ...healthRoutes,
  ...accessRoutes,
  ...alertRoutes,
  ...eventRoutes,
  ...operatorAlertRoutes,
  ...operatorEventRoutes,
  ...requestRoutes,
  ...operatorRequestRoutes,
  ...notificationRoutes,
  ...operatorNotificationRoutes,
  ...tapeRoutes,
  ...jobRoutes,
  ...uploadRoutes,
  ...tapeCheckRoutes,
  ...tapeViewRoutes,
  ...tapeMappingRoutes,
  ...tapeVersionRoutes,
  ...loanHistoryRoutes,
  ...servicingRoutes,
  ...personalDataRoutes,
  ...dealRoutes,
  ...withdrawRoutes,
  ...criteriaSetRoutes,
  ...criteriaRunRoutes,
  ...exceptionRoutes,
  ...poolRoutes,
  ...disclosureRoutes,
  ...templateRoutes,
  ...pledgeRoutes,
  ...remittanceRoutes,
  ...performanceRoutes,
  ...poolOperatorRoutes,
  ...loanAnalyticsRoutes,
  ...investorAnalyticsRoutes,
  ...disclosedLoanRoutes,
  ...calculationRoutes,
  ...investorCalculationRoutes,
  ...documentRoutes,
  ...investorDocumentRoutes,
  ...profileRoutes,
  ...marketRoutes,
  ...watchRoutes,
  ...marketOperatorRoutes,
  ...fixingRoutes,
  ...ioiRoutes,
  ...subscriptionRoutes,
  ...orderRoutes,
  ...bookRoutes,
  ...allocationRoutes,
  ...tradeRoutes,
  ...cancelTradeRoutes,
  ...portfolioRoutes,
  ...exposureRoutes,
  ...statementRoutes,
  ...calendarRoutes,
  ...portfolioRunRoutes,
  ...paymentRoutes,
  ...shareRecipientRoutes,
  ...webhookRoutes,
  ...operatorWebhookRoutes,
  ...deliveryRoutes,
  ...deliveryOperatorRoutes,
  ...searchRoutes,
  ...operatorReadRoutes,
  ...sandboxRoutes,
];

/** The error code that a request gets for each constraint of the database. */
const CONSTRAINTS: Record<string, ErrorCode> = {
  deals_one_draft: 'DRAFT_EXISTS',
  sc_jobs_one_live: 'RUN_IN_PROGRESS',
  encumbered_loans_one_claim: 'LOAN_ALREADY_POOLED',
  remittances_one_per_period: 'CONFLICT',
  payments_once: 'INVALID_TRANSITION',
  iois_one_live: 'IOI_EXISTS',
  tranche_books_capacity: 'COMPLIANCE_FAILED',
  allocation_rounds_one_offering: 'INVALID_TRANSITION',
  documents_file_key: 'ALREADY_COMPLETED',
  trades_one_per_allocation: 'INVALID_TRANSITION',
  ledger_entries_once: 'INVALID_TRANSITION',
};

/** Names that mean one query parameter; a route that has one of them takes the others. A `type` is also that of alerts, events or calculations. */
const PARAMETER_SPELLINGS: readonly Spellings[] = [
  { names: ['dealId', 'deal_id'] },
  { names: ['loanType', 'loan_type', 'type'], words: LOAN_TYPES },
  { names: ['asset_type', 'type'], words: LOAN_TYPES },
];

export async function buildApp(
  deps: Deps,
  options: Pick<HttpOptions, 'bodyTimeoutMs' | 'bodyPace' | 'drainTimeoutMs'> = {},
): Promise<FastifyInstance> {
  const routes =
    deps.config.environment === 'production' ? ROUTES.filter((each) => !each.path.startsWith('/v1/sandbox/')) : ROUTES;
  const app = await buildServer({
    ...options,
    deps,
    routes,
    authenticatePerson: createPersonAuthenticator({ db: deps.db, environment: deps.config.environment }),
    authenticate: createAuthenticator({ db: deps.db, keys: deps.tokens, environment: deps.config.environment }),
    isInForce: (caller) => deps.db.peek({ platform: true }, (reader) => isCallerInForce(reader, caller)),
    neededScopes,
    approvalGate,
    constraints: CONSTRAINTS,
    spellings: PARAMETER_SPELLINGS,
  });
  app.decorate('over', (others: Deps) => buildApp(others, options));
  const describe = describerOf(routes);
  await addPages(app, deps, describe);
  await addUnsubscribePage(app, deps);
  addSignIn(app, deps);
  addDeltaSharing(app, deps);
  addMcp(app, deps, { routes, describeApi: describe });
  if (deps.config.pages.console) addConsole(app, deps);
  return app;
}
