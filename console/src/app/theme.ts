import { createTheme, type CSSVariablesResolver, Notification, Table } from '@mantine/core';

/** One accent, four sizes of text, none below 12 px. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.875rem', lg: '1rem', xl: '1rem' },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1rem' }, h3: { fontSize: '0.875rem' } },
  },
  defaultRadius: 'sm',
  autoContrast: true,
  respectReducedMotion: true,
  components: {
    Table: Table.extend({ defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm', highlightOnHover: true } }),
    // The list scrolls itself: a scroll area within it could not be scrolled from the keyboard.
    Select: { defaultProps: { withScrollArea: false } },
    MultiSelect: { defaultProps: { withScrollArea: false } },
    // A dialog's header is not the page's banner; a click beside it does not take away what was typed in it.
    Modal: { defaultProps: { closeOnClickOutside: false, attributes: { header: { role: 'presentation' } } } },
    // A menu has nothing but its items; the first of them has the focus.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
  },
});

/** Colours in which states are told; their text is dark enough, or light enough, on their own pale ground. */
const TOLD = ['teal', 'yellow', 'orange', 'red', 'gray', 'indigo'];

/** Colours of text that are read on every background of their scheme: at least 4.5 to 1. */
export const readable: CSSVariablesResolver = ({ colors }) => {
  const shade = (name: string, at: number): string => String(colors[name]?.[at]);
  const told = (of: (name: string) => string): Record<string, string> =>
    Object.fromEntries(TOLD.map((name) => [`--mantine-color-${name}-light-color`, of(name)]));
  return {
    variables: {},
    light: {
      '--mantine-color-dimmed': '#5a6169',
      '--mantine-color-placeholder': '#697079',
      '--mantine-color-anchor': shade('indigo', 8),
      '--mantine-color-error': shade('red', 9),
      ...told((name) => `color-mix(in srgb, ${shade(name, 9)}, black 35%)`),
    },
    dark: {
      '--mantine-color-dimmed': '#b3b8bd',
      '--mantine-color-placeholder': '#a3a9ae',
      '--mantine-color-anchor': shade('indigo', 3),
      '--mantine-color-error': shade('red', 4),
      ...told((name) => shade(name, 2)),
    },
  };
};
