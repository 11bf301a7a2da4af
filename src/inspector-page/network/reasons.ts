/** Why payments failed: read once from the last steps of each payment, since a row of the list does not tell it. */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { paymentFailureIn } from '../base/ending.ts';
import type { NetworkNode, NodePayment } from './watched.ts';

/** This many last steps of a payment contain its end. */
const LAST_STEPS = '6';

/** The reasons by the node's name and the actor's id, with a blank between. */
export function useReasons(
  payments: readonly NodePayment[],
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
          const reason = paymentFailureIn(steps) ?? 'not known any more';
          reasons.value = new Map(reasons.value).set(key, reason);
        },
        // The next change of the payments tries again.
        () => void asked.delete(key),
      );
    }
  }, [payments]);
  return reasons.value;
}
