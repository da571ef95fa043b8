import type { NoticeCode, ReadNotice } from './raw-table.ts';

const PER_CODE_MAX = 1_000;
const TEXT_MAX = 200;

/** Collects the notices of the reader: the first 1,000 of each code, and their number. */
export class Notices {
  readonly list: ReadNotice[] = [];
  readonly counts: Partial<Record<NoticeCode, number>> = {};

  add(notice: ReadNotice): void {
    const count = (this.counts[notice.code] ?? 0) + 1;
    this.counts[notice.code] = count;
    if (count > PER_CODE_MAX) return;
    this.list.push(notice.actual === undefined ? notice : { ...notice, actual: shortText(notice.actual) });
  }
}

/** Text cut to a length that fits a message. */
export function shortText(text: string): string {
  return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX - 1)}…`;
}
