import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/base.css';
import { type MantineColorScheme, type MantineColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client.ts';
import { router } from './app/router.tsx';
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

const root = document.getElementById('root');
if (!root) throw new Error('the page has no place for the console');
createRoot(root).render(
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
  </StrictMode>,
);
