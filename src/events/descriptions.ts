import type { EventName } from './events.ts';

/** When each event happens and whom it tells, for the API reference. */
export const EVENT_DESCRIPTIONS: { [Name in EventName]: string } = {
  'deal.status_changed':
    'A loan deal has another status, or a securitization deal was withdrawn. Tells the owner; of a withdrawal also the investors with a stake.',
  'loan.approved': 'A loan deal is approved: its loans may be pooled. Tells the owner.',
  'loan.rejected': 'A loan deal is rejected, with the reason. Tells the owner.',
  'trade.settled': 'A trade has settled: face against cash. Tells the investor, and the originator without the buyer.',
  'trade.failed': 'A trade did not settle. Tells the investor, and the originator without the buyer.',
  'trade.cancelled': 'An unsettled trade is cancelled. Tells the investor, and the originator without the buyer.',
  'trade.retried': 'The settlement of a failed trade is tried again. Tells the investor, and the originator without the buyer.',
  'trade.corrected':
    'A settled trade has other amounts: the report of a payment that it is without, or that says its coupon, came or was restated since. Tells the investor, and the originator without the buyer.',
  'sc.completed': 'A criteria run has ended, with its counts. Tells the originator.',
  'document.uploaded': 'A document is registered. Tells its owner, and the investors who can see it.',
  'subscription.status_changed': 'A subscription has another status; its creation raises none. Tells the investor.',
  'order.status_changed': 'An order has another status; its creation raises none. Tells the investor.',
  'allocation.issued': 'An allocation waits for the response of the investor. Tells the investor.',
  'allocation.expiring': 'The response deadline of an allocation is one business day ahead. Tells the investor.',
  'allocation.status_changed': 'An allocation was accepted or declined, or has expired. Tells the investor.',
  'deal.listed':
    'A deal comes on the market. Tells the owner, and within a minute the investors to whom the offering may be sold.',
  'deal.market_status_changed':
    'A deal has another status on the market. Tells the owner, and who watches or holds something in it.',
  'demand.changed':
    'Indications, subscriptions and orders per tranche, without names, at most once a minute and deal. Tells the originator.',
  'waiver.decided': 'A requested waiver is approved or denied. Tells the originator.',
  'bulk.completed': 'A bulk submission has ended. Tells the originator.',
  'calculation.completed': 'A calculation is COMPLETED or FAILED; of a book its `type` is PORTFOLIO. Tells who requested it.',
  'remittance.applied':
    'A servicer report is applied: balances and factors are those after the payment. Tells the owner, and who holds face of the deal.',
  'pool.factor_off':
    'The pool factor of an applied report is more than 0.01 below the projected one; once, until a report was not again. Tells the owner, and who holds face of the deal.',
  'trigger.near':
    'The figure of a trigger that is off has come within 10 % of its threshold; once, until a report was outside again. Tells the owner.',
  'remittance.differs':
    'The figures of a servicer report differ from those that follow from its cash, with the differences. Tells the owner and the operator.',
  'tape.checked':
    'A monthly tape of a pool was read, waits for a mapping or a confirmation, or could not be read. Tells the owner.',
  'tape.late': 'The tape of a payment period was not read by its due day. Tells the owner.',
  'pledge.conflict':
    'Loans are held twice: in two pools, or in a pool and a pledge outside the platform. Tells both sides of their own, and the operator.',
  'remittance.restated':
    'The figures of an applied report were replaced. Tells the owner, and who holds face of the deal or held it at the record date.',
  'payment.made':
    'Interest, principal and write-down of each tranche held, once per deal and period; for a restatement the differences. Tells who was paid: the holder of record, and the owner for the face that it retains.',
};
