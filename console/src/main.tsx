import './app/styles.ts';
import './app/base.css';
import { type MantineColorScheme, type MantineColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client.ts';
import { router } from './app/router.tsx';
import { sessionQuery } from './app/session.ts';
import { readable, theme } from './app/theme.ts';

/** The nonce that the page's policy has for styles; browsers hide the attribute from styles and show it to scripts. */
const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

/** The colours are kept as long as the page is open: nothing of this site stays in the browser but the cookie of the session. */
let chosen: MantineColorScheme | null = null;
const inMemory: MantineColorSchemeManager = {
  get: (unset) => chosen ?? unset,
  set: (scheme) => {
    chosen = scheme;
  },
  subscribe: () => undefined,
  unsubscribe: () => undefined,
  clear: () => {
    chosen = null;
  },
};

// Dialogs lock the page behind them with styles of their own.
setNonce(nonce());

const place = document.getElementById('root');
if (!place) throw new Error('the page has no place for the console');
const root = createRoot(place);
const whole = (
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readable}
      defaultColorScheme="auto"
      colorSchemeManager={inMemory}
      getStyleNonce={nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Notifications position="bottom-right" />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>
);
// What the first screen needs is read at once, and drawn in one piece that leaves the browser free in between; failures are told by the screens.
void Promise.allSettled([queryClient.prefetchQuery(sessionQuery), router.load()]).then(() =>
  startTransition(() => root.render(whole)),
);
