/**
 * The newest confirmed block, also while nothing happens to the actor that is looked at. Asked of the node
 * once a second, and not at all while nobody can see the page.
 */
import { type Signal, signal } from '@preact/signals';
import type { Source } from '../source.ts';

export type BlockClock = { nowBlock: Signal<bigint | null>; end(): void };

const PERIOD_MS = 1_000;

/** `nowBlock` is null until the node has answered, and keeps its last value while the node is silent. */
export function followBlock(source: Source): BlockClock {
  const nowBlock = signal<bigint | null>(null);
  let isAsking = false;

  async function ask(): Promise<void> {
    if (isAsking || document.visibilityState === 'hidden') return;
    isAsking = true;
    // A node that is away is shown by the connection; here the last block stays.
    const facts = await source.read('node', 'node').catch(() => null);
    isAsking = false;
    if (facts !== null) nowBlock.value = facts.block;
  }

  const askAgain = () => void ask();
  const timer = setInterval(askAgain, PERIOD_MS);
  document.addEventListener('visibilitychange', askAgain);
  askAgain();
  return {
    nowBlock,
    end() {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', askAgain);
    },
  };
}
