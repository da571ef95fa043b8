import type { MailSender } from '../../config.ts';
import type { OutgoingMail } from '../../platform/net/smtp.ts';
import type { ClaimedEmail, MailedAlert } from './mail-queries.ts';
import { DIGEST_TOPIC } from './notification.ts';

export type Links = {
  /** Where customers reach the platform; null: e-mails have no links. */
  publicUrl: string | null;
  /** The signed address that unsubscribes this address from a topic. */
  unsubscribe(topic: string): string;
};

const MOST_TITLE_CHARACTERS = 150;

/**
 * The mail of an e-mail: its alerts by title, priority, time and record. The message of an alert stays on the platform: it can quote what
 * people wrote, and a mailbox is no place for that. Null when its alerts are gone.
 */
export function compose(email: ClaimedEmail, from: MailSender, links: Links): OutgoingMail | null {
  const [first] = email.alerts;
  if (!first) return null;
  const topic = email.kind === 'DIGEST' ? DIGEST_TOPIC : first.type;
  const stopping = links.publicUrl === null ? null : links.unsubscribe(topic);
  const paragraphs = [
    email.kind === 'DIGEST' ? digestText(email) : alertText(first),
    whereToRead(links),
    whyAndHowToStop(email, topic, stopping),
  ];
  return {
    from,
    to: email.email,
    subject: email.kind === 'DIGEST' ? `[Sluice] ${alertsOf(email.total)} since the last digest` : `[Sluice] ${headline(first)}`,
    text: `${paragraphs.join('\n\n')}\n`,
    messageId: `<${email.email_id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    date: email.created_at,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(stopping === null
        ? {}
        : { 'List-Unsubscribe': `<${stopping}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
  };
}

const headline = ({ priority, title }: MailedAlert): string => `${priority}: ${oneLine(title)}`;

function alertText(alert: MailedAlert): string {
  return [
    oneLine(alert.title),
    '',
    `Priority  ${alert.priority}`,
    `Type      ${alert.type}`,
    `Time      ${minuteOf(alert.created_at)}`,
    ...(alert.entity_id === null ? [] : [`Record    ${oneLine(alert.entity_id)}`]),
  ].join('\n');
}

function digestText({ alerts, total }: ClaimedEmail): string {
  const lines = alerts.map((alert) => `${minuteOf(alert.created_at)}  ${headline(alert)}`);
  const more = total - alerts.length;
  return [
    `${alertsOf(total)} came since the last digest:`,
    '',
    ...lines,
    ...(more > 0 ? [`and ${more.toLocaleString('en-US')} more, which the platform lists.`] : []),
  ].join('\n');
}

const whereToRead = ({ publicUrl }: Links): string =>
  publicUrl === null ? 'Sign in to the platform to read more.' : `Read more: ${publicUrl}/console/alerts`;

function whyAndHowToStop({ email, organization, kind }: ClaimedEmail, topic: string, stopping: string | null): string {
  const why = `${oneLine(organization)} has named ${email} for notices.`;
  const what = kind === 'DIGEST' ? 'the digest' : `notices of type ${topic}`;
  return stopping === null
    ? `${why} To stop them, change the notification preferences of the organization: in the console, or PUT /v1/api/notification-preferences.`
    : `${why} To stop ${what} to this address: ${stopping}`;
}

const alertsOf = (count: number): string => (count === 1 ? '1 alert' : `${count.toLocaleString('en-US')} alerts`);

const minuteOf = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`;

/** Text of a customer on one line, without characters that hide or turn others. */
function oneLine(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length > MOST_TITLE_CHARACTERS ? `${characters.slice(0, MOST_TITLE_CHARACTERS - 1).join('')}…` : line;
}
