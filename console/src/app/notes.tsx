import { Notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';

/** Where the page says what was done, and what has arrived. */
export const Notes = (): ReactNode => <Notifications position="bottom-right" />;
