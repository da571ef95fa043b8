import { Text } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { When } from '../../ui/format.tsx';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const SOON = 4 * HOUR;
const TICK_MS = 15_000;

/** `2 d 4 h`, `3 h 20 min` or `12 min`. */
function leftOf(ms: number): string {
  if (ms >= DAY) return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
  if (ms >= HOUR) return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
  return `${Math.max(1, Math.ceil(ms / MINUTE))} min`;
}

/** When something has to be answered, and how long that is from now. */
export function Deadline({ at }: { at: string }): ReactNode {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const left = Date.parse(at) - now;
  return (
    <>
      <Text span size="sm" fw={left < SOON ? 700 : 500} className="nowrap">
        {left > 0 ? leftOf(left) : 'Over'}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        <When at={at} />
      </Text>
    </>
  );
}
