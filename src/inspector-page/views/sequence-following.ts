/** A payment's trace that is kept up to date while its actor goes on. */
import { type Signal, signal } from '@preact/signals';
import type { Source } from '../../inspector/source.ts';
import { gatherTrace, type Trace } from './sequence-trace.ts';

export type FollowedTrace = {
  /** Null until it was gathered. */
  found: Signal<Trace | null>;
  /** Gathers it anew after a short while; the answer takes that back. */
  refreshSoon(): () => void;
};

/** The channels take their last steps just after the payment's own. */
const PAUSE_MS = 150;

export function followTrace(source: Source, actor: string): FollowedTrace {
  const found = signal<Trace | null>(null);
  let asked = 0;

  async function gather(): Promise<void> {
    asked += 1;
    const turn = asked;
    // What is shown stays while the node is away; the page's frame says that it is.
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
