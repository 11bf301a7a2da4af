/** Why payments failed: read once out of the last steps of each, for a row of the list does not say. */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { failureIn } from '../ending.ts';
import type { NetworkNode, Payment } from './watch.ts';

/** Steps of a payment in which its end is told. */
const LAST_STEPS = '6';

/** By node and actor, with a blank between. */
export function useReasons(
  payments: readonly Payment[],
  nodes: readonly NetworkNode[],
): ReadonlyMap<string, string> {
  const reasons = useMemo(() => signal<ReadonlyMap<string, string>>(new Map()), []);
  const asked = useMemo(() => new Set<string>(), []);
  useEffect(() => {
    for (const { node, row } of payments) {
      const key = `${node} ${row.actor}`;
      if (row.state !== 'failed' || asked.has(key)) continue;
      const source = nodes.find(({ name }) => name === node)?.source;
      if (source === undefined) continue;
      asked.add(key);
      const path = `actors/${encodeURIComponent(row.actor)}/history`;
      source.read('history', path, { limit: LAST_STEPS }).then(
        ({ steps }) => {
          const reason = failureIn(steps) ?? 'not known any more';
          reasons.value = new Map(reasons.value).set(key, reason);
        },
        // It is asked again with the next look at the payments.
        () => void asked.delete(key),
      );
    }
  }, [payments]);
  return reasons.value;
}
