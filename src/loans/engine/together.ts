/** Both results. When one fails, the other has ended before the failure is thrown: it writes files that are removed then. */
export async function together<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return await Promise.all([one, other]);
}
