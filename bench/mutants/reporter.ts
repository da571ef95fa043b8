// Prints the file of each test that fails, as soon as it fails, and nothing else.
import type { TestEvent } from 'node:test/reporters';

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) if (event.type === 'test:fail' && event.data.file) yield `FAILED ${event.data.file}\n`;
}
