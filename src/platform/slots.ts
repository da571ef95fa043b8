/** Counts how many of a limited resource each organization holds in this process. */
export type Slots = {
  /** Takes one and returns the function that releases it; null when the organization already holds `most`. */
  take(organizationId: string, most: number): (() => void) | null;
};

export function createSlots(): Slots {
  const held = new Map<string, number>();
  return {
    take(organizationId, most) {
      const count = held.get(organizationId) ?? 0;
      if (count >= most) return null;
      held.set(organizationId, count + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (held.get(organizationId) ?? 1) - 1;
        if (left > 0) held.set(organizationId, left);
        else held.delete(organizationId);
      };
    },
  };
}
