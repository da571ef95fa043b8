import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFailure, SECRET_OMITTED } from './api.ts';

const TRIES = 2;

const SESSION = ['session'];

/** The session has ended, or is another one in the meantime: the shell asks who is signed in, and shows that. */
const askWhoIsThere = (error: unknown): void => {
  if (error instanceof ApiFailure && (error.status === 401 || error.code === 'CSRF_FAILED'))
    void queryClient.invalidateQueries({ queryKey: SESSION });
};

/** Beside that: what was made by an attempt whose answer was lost stands in the lists. */
const readAgain = (error: unknown): void => {
  askWhoIsThere(error);
  if (error instanceof ApiFailure && error.code === SECRET_OMITTED) void queryClient.invalidateQueries();
};

/** Refusals are answers: only what passes by itself is asked again. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: askWhoIsThere }),
  mutationCache: new MutationCache({ onError: readAgain }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Without a network a question fails, which is told, instead of waiting without a word until there is one.
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (count, error) => count < TRIES && error instanceof ApiFailure && (error.status === 0 || error.status === 503),
    },
    // Nor is an act done behind the back of who asked for it while there was none.
    mutations: { networkMode: 'always' },
  },
});
