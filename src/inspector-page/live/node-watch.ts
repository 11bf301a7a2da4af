/**
 * Whether the node answers, and its facts: read once a second, so that the newest block is shown while nothing
 * happens, and not while the page is hidden.
 */
import { type Signal, signal } from '@preact/signals';
import type { InspectorSource } from '../../inspector/source.ts';
import type { NodeFacts } from '../../inspector/wire.ts';
import { connectionAfter, type NodeConnection } from '../../page-parts/connection.ts';

export type NodeWatch = {
  /** Null until the node has answered; the last answer while the node is down. */
  facts: Signal<NodeFacts | null>;
  connection: Signal<NodeConnection>;
  /** Reads the facts now. */
  ask(): void;
  end(): void;
};

const PERIOD_MS = 1_000;

export function watchNode(source: InspectorSource): NodeWatch {
  const facts = signal<NodeFacts | null>(null);
  const connection = signal<NodeConnection>('connecting');
  let isAsking = false;
  let silentSince: number | null = null;

  function noteSilence(error: unknown): void {
    const now = performance.now();
    silentSince ??= now;
    connection.value = connectionAfter(error, now - silentSince);
  }

  async function askNow(): Promise<void> {
    if (isAsking || document.visibilityState === 'hidden') return;
    isAsking = true;
    try {
      facts.value = await source.read('node', 'node');
      silentSince = null;
      connection.value = 'live';
    } catch (error) {
      noteSilence(error);
    }
    isAsking = false;
  }

  const ask = () => void askNow();
  const timer = setInterval(ask, PERIOD_MS);
  document.addEventListener('visibilitychange', ask);
  ask();
  return {
    facts,
    connection,
    ask,
    end() {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
    },
  };
}
