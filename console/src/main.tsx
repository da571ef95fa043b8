import { pause } from './app/pieces.ts';
import './app/styles.ts';
import './app/base.css';
import './charts/charts.css';
import './screens/criteria/criteria.css';
import { type MantineColorScheme, type MantineColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { lazy, startTransition, StrictMode, Suspense, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client.ts';
import { makeRouter } from './app/router.tsx';
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

const Notes = lazy(async () => ({ default: (await import('./app/notes.tsx')).Notes }));

/** The page has its styles before it has anything else to show, unless they cannot be had. */
async function styled(): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')];
  const read = Promise.all(
    links.filter(({ sheet }) => !sheet).map((link) => new Promise((resolve) => link.addEventListener('load', resolve))),
  );
  const everything = new Promise((resolve) => addEventListener('load', resolve));
  if (document.readyState !== 'complete') await Promise.race([read, everything]);
}

/** Takes away what the page showed until now, at the moment at which there is more to show. */
function Opened(): null {
  useLayoutEffect(() => document.getElementById('opening')?.remove(), []);
  return null;
}

async function open(): Promise<void> {
  const place = document.getElementById('root');
  if (!place) throw new Error('the page has no place for the console');
  // What the first screen needs is read at once, and drawn in one piece that leaves the browser free in between; failures are told by the screens.
  const session = queryClient.prefetchQuery(sessionQuery);
  await pause();
  const router = makeRouter();
  await pause();
  await Promise.allSettled([session, router.load(), styled()]);
  const root = createRoot(place);
  await pause();
  startTransition(() =>
    root.render(
      <StrictMode>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={readable}
          defaultColorScheme="auto"
          colorSchemeManager={inMemory}
          getStyleNonce={nonce}
        >
          <QueryClientProvider client={queryClient}>
            <Opened />
            <RouterProvider router={router} />
            <Suspense>
              <Notes />
            </Suspense>
          </QueryClientProvider>
        </MantineProvider>
      </StrictMode>,
    ),
  );
}
void open();
