import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { dayOf, numbers, percentOf, times } from './intl.ts';

const time = times({ dateStyle: 'medium', timeStyle: 'short' });
const integer = numbers();
const dollars = numbers({ style: 'currency', currency: 'USD', maximumFractionDigits: 0 });
const cents = numbers({ style: 'currency', currency: 'USD' });
const short = numbers({
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 2,
});
const UNKNOWN = '–';

/** A time with its zone; the exact instant as a tooltip. */
export function When({ at }: { at: string | null | undefined }): ReactNode {
  if (!at) return UNKNOWN;
  return (
    <time dateTime={at} title={at} className="nowrap">
      {time(new Date(at))} UTC
    </time>
  );
}

/** A day as text. */
export const day = (at: string): string => dayOf(new Date(at));

/** A day, as the API has it: without a time and without a zone. */
export const Day = ({ at }: { at: string | null | undefined }): ReactNode =>
  at ? (
    <time dateTime={at} className="nowrap">
      {dayOf(new Date(at))}
    </time>
  ) : (
    UNKNOWN
  );

export const count = (value: number | null | undefined): string => (value == null ? UNKNOWN : integer(value));
/** US dollars, cents where there are any. */
export function money(value: number | null | undefined): string {
  if (value == null) return UNKNOWN;
  return (Number.isInteger(value) ? dollars : cents)(value);
}
/** US dollars in thousands, millions or billions, for titles and axes. */
export const shortMoney = (value: number | null | undefined): string => (value == null ? UNKNOWN : short(value));
/** A part of a whole as a percentage. */
export const share = (part: number, whole: number): string => (whole === 0 ? UNKNOWN : percentOf(part / whole));

const UNITS = ['bytes', 'KB', 'MB', 'GB'];
const KILO = 1_000;

export function bytes(value: number): string {
  const step = value < KILO ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
  return `${(value / KILO ** step).toFixed(step === 0 ? 0 : 1)} ${UNITS[step]}`;
}

/** A value of the API that can be copied. */
export function Copy({ value, what }: { value: string; what: string }): ReactNode {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy'}>
          <ActionIcon
            size="xs"
            variant="subtle"
            color="gray"
            aria-label={copied ? `${what} copied` : `Copy ${what}`}
            onClick={(event) => {
              event.preventDefault();
              copy();
            }}
          >
            {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** An identifier that can be copied. */
export function Id({ of }: { of: string | null | undefined }): ReactNode {
  if (!of) return UNKNOWN;
  return (
    <span className="nowrap">
      <span className="id">{of}</span> <Copy value={of} what={of} />
    </span>
  );
}

/** Words that stay capitals. */
const CAPITALS = [
  'QC',
  'KYC',
  'IOI',
  'API',
  'ID',
  'URL',
  'LTV',
  'CLTV',
  'DTI',
  'PTI',
  'OC',
  'ERISA',
  'APR',
  'DSCR',
  'NAICS',
  'VIN',
  'ZIP',
  'ZIP3',
];

/** `DEAL_APPROVE` as `Deal approve`: words of the API for people. */
export const words = (constant: string): string => {
  const text = constant
    .split(/[_. ]/)
    .map((word) => (CAPITALS.includes(word.toUpperCase()) ? word.toUpperCase() : word.toLowerCase()))
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};
