import { useNavigate, useSearch } from '@tanstack/react-router';

export type Values = Readonly<Record<string, string>>;

/** What the address says after `?`, and a way to change it in place: filters, order and pages live there, so a link shows the same. */
export function useAddress(): [Values, (change: Record<string, string | null>, options?: { keepPage?: boolean }) => void] {
  const values: Values = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (change: Record<string, string | null>, { keepPage = false } = {}): void => {
    const next: Record<string, string | null> = { ...values, ...(keepPage ? {} : { page: null }), ...change };
    const search = Object.fromEntries(Object.entries(next).flatMap(([name, value]) => (value ? [[name, value]] : [])));
    void navigate({ to: '.', search, replace: true, resetScroll: false });
  };
  return [values, set];
}
