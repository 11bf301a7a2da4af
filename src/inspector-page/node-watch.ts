/**
 * Whether the node answers, and what it says about itself: asked once a second, so that the newest block
 * moves while nothing happens, and not at all while nobody can see the page.
 */
import { type Signal, signal } from '@preact/signals';
import type { Source } from '../inspector/source.ts';
import type { NodeFacts } from '../inspector/wire.ts';
import { type Connection, connectionAfter } from './connection.ts';

export type NodeWatch = {
  /** Null until the node has answered; the last answer while it is away. */
  facts: Signal<NodeFacts | null>;
  connection: Signal<Connection>;
  /** Asks at once. */
  ask(): void;
  end(): void;
};

const PERIOD_MS = 1_000;

export function watchNode(source: Source): NodeWatch {
  const facts = signal<NodeFacts | null>(null);
  const connection = signal<Connection>('connecting');
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
