/** The size of icons beside text. */
export const ICON = { size: 16, stroke: 1.75, 'aria-hidden': true } as const;
