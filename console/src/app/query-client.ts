import { QueryClient } from '@tanstack/react-query';
import { ApiFailure } from './api.ts';

const TRIES = 2;

/** Refusals are answers: only what passes by itself is asked again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < TRIES && error instanceof ApiFailure && (error.status === 0 || error.status === 503),
    },
  },
});
