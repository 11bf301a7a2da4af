/** A payment's trace that is kept up to date while its actor goes on. */
import { type Signal, signal } from '@preact/signals';
import type { InspectorSource } from '../../../inspector/source.ts';
import { gatherTrace, type PaymentSteps } from './trace.ts';

export type FollowedTrace = {
  /** Null until the trace was gathered. */
  found: Signal<PaymentSteps | null>;
  /** Gathers the trace again after a short while; the returned function cancels that. */
  refreshSoon(): () => void;
};

/** Waited in ms after a step: the channels take their last steps just after the payment's own. */
const PAUSE_MS = 150;

export function followTrace(source: InspectorSource, actor: string): FollowedTrace {
  const found = signal<PaymentSteps | null>(null);
  let asked = 0;

  async function gather(): Promise<void> {
    asked += 1;
    const turn = asked;
    // While the node is down the last trace stays; the page's frame shows that the node does not answer.
    const trace = await gatherTrace(source, actor).catch(() => null);
    if (turn === asked && trace !== null) found.value = trace;
  }

  return {
    found,
    refreshSoon() {
      const timer = setTimeout(() => void gather(), PAUSE_MS);
      return () => clearTimeout(timer);
    },
  };
}
