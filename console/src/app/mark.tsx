import type { ReactNode } from 'react';

/** A gate over water: the mark of Sluice. */
export const Mark = (): ReactNode => (
  <svg
    width="22"
    height="22"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    aria-hidden="true"
  >
    <path d="M5 3v12M19 3v12M5 7h14M9 7v8M15 7v8M3 19c2 0 2-1.5 4.5-1.5S10 19 12 19s2-1.5 4.5-1.5S19 19 21 19" />
  </svg>
);
