import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { View, Views } from './lists.ts';
import { type Data, NAMES } from './members.ts';
import { lineOf, toldTo } from './told.ts';

/** Every organization was told of what concerns it once: in its log of events, by an alert, and by a delivery that its receiver took. */
export function checkNotices(views: Views): void {
  assert.ok(views.elm.member.hook.received.length > views.elm.member.taken.length, 'Elm’s receiver was down');
  for (const name of NAMES) {
    const view = views[name];
    const events = view.rows('events').filter((each) => each.event !== 'demand.changed');
    assert.deepEqual(events.map(lineOf).toSorted(), toldTo(views, name).toSorted(), `events of ${name}`);
    checkAlerts(view);
    checkDeliveries(views, view);
  }
}

/** A decision about a loan deal has an event of its own, with the alert. */
const isToldByAnother = ({ event, data }: Data): boolean =>
  event === 'deal.status_changed' && (data.current_status === 'APPROVED' || data.current_status === 'REJECTED');

function checkAlerts(view: View): void {
  const { name } = view.member;
  const alerts = view.rows('alerts');
  const left = [...alerts];
  for (const each of view.rows('events')) {
    if (isToldByAnother(each)) continue;
    const at = left.findIndex(
      (alert) =>
        alert.type === each.event && alert.created_at === each.timestamp && JSON.stringify(each.data).includes(alert.entity_id),
    );
    assert.notEqual(at, -1, `${name}: ${lineOf(each)} has no alert`);
    left.splice(at, 1);
  }
  const isOperator = view.member.role === 'operator';
  // The operator reads the commitments of all, and the tax forms that they filed.
  const commitments = isOperator
    ? [...view.rows('subscriptions'), ...view.rows('orders')]
    : [...view.rowsUnder('investor/subscriptions'), ...view.rowsUnder('investor/orders')];
  const reviewed = [
    ...commitments.filter((row) => row.compliance_check_result === 'review_required'),
    ...(isOperator ? view.rows('profile-documents') : []),
  ];
  // A receiver that was down is warned of once.
  const wasDown = view.member.hook.received.length > view.member.taken.length;
  const warned = wasDown ? view.rows('webhooks/subscriptions').map((row) => ['webhook.subscription_failing', row.id]) : [];
  assert.deepEqual(
    left.map((alert) => [alert.type, alert.entity_id]).toSorted(),
    [
      ...reviewed.map((row) => ['compliance.review_required', row.document_id ?? row.order_id ?? row.subscription_id]),
      ...warned,
    ].toSorted(),
    `${name}: alerts without an event`,
  );
  const unread = alerts.filter((alert) => alert.status === 'UNREAD');
  const { total, by_priority } = view.record('alerts/unread-count');
  const counted = Object.fromEntries(Object.entries(by_priority).filter(([, count]) => count !== 0));
  assert.equal(total, unread.length, `${name}: unread alerts`);
  assert.deepEqual(
    counted,
    Object.fromEntries(
      [...Map.groupBy(unread, (alert: Data): string => alert.priority)].map(([priority, rows]) => [priority, rows.length]),
    ),
  );
  for (const { status, read_at } of alerts) if (status === 'UNREAD') assert.equal(read_at, null);
}

function checkDeliveries(views: Views, view: View): void {
  const { name, role, taken, hook, secret, holder } = view.member;
  const events = new Map<string, Data>(view.rows('events').map((each) => [each.id, each]));
  const listed = views.platform.rows('webhooks/deliveries').filter((row) => row.organization_id === holder.organization_id);
  if (role !== 'operator')
    assert.deepEqual(
      view.rows('webhooks/deliveries').map((row) => row.id),
      listed.map((row) => row.id),
      `${name}: its deliveries, and the operator’s list of them`,
    );
  assert.deepEqual(
    listed.map((row) => row.event_id).toSorted(),
    [...events.keys()].toSorted(),
    `${name}: one delivery for each event`,
  );
  for (const { status, kind, event_id } of listed)
    assert.deepEqual([status, kind], ['DELIVERED', 'EVENT'], `${name}: ${event_id}`);
  assert.equal(
    listed.reduce((sum, row) => sum + row.attempts, 0),
    hook.received.length,
    `${name}: attempts, and posts`,
  );
  assert.deepEqual(
    taken.map((post) => post.headers['webhook-id']).toSorted(),
    [...events.keys()].toSorted(),
    `${name}: one post for each event`,
  );
  const webhook = new Webhook(secret);
  for (const { headers, body } of taken) {
    const text = body.toString();
    const { id, ...said } = events.get(headers['webhook-id'] as string);
    assert.deepEqual(JSON.parse(text), said, `${name}: the body of ${id}`);
    assert.equal(headers['x-platform-signature'], `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
    assert.equal(headers['x-platform-event'], said.event);
    assert.ok(listed.some((row) => row.id === headers['x-platform-delivery'] && row.event_id === id));
    const signature = headers['webhook-signature'] as string;
    const [, signed = ''] = signature.split(',');
    assert.equal(webhook.sign(id, new Date(Number(headers['webhook-timestamp']) * 1_000), text), `v1,${signed}`);
  }
}
