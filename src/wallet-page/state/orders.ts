/**
 * What the person has asked for: one entry and one key for each. The entry is in this tab's storage before the node is asked,
 * so that after a reload the same is asked under the same key, and happens once.
 */
import { type Signal, signal } from '@preact/signals';
import type { OrderAnswer, Placed, WalletOrder } from './order.ts';

export type Orders = ReturnType<typeof createOrderBook>;

const MOST_KEPT = 20;
/** A node keeps a key for 24 hours: under an older one the same would be done a second time. */
const KEY_LASTS_MS = 23 * 3_600_000;

type Parts = {
  /** What this tab has kept; null: nothing. */
  kept(): string | null;
  keep(text: string): void;
  perform(order: WalletOrder, key: string): Promise<OrderAnswer>;
  /** Which token the node is asked with. */
  signIn(): string;
  /** Called when an order is over, or the node did not say so in time. */
  onEnd(): void;
  now(): number;
};

/** Whether the node may be asked once more under the key of the order, so that it is done once at most. */
function mayAskAgain(placed: Placed, signIn: string, now: number): boolean {
  const isOpen = ['left', 'not_begun', 'pending'].includes(placed.state);
  return isOpen && placed.signIn === signIn && now - placed.at < KEY_LASTS_MS;
}

export function createOrderBook({ perform, signIn, onEnd, now, kept, keep }: Parts) {
  const placed: Signal<readonly Placed[]> = signal(stored(kept()));

  function set(list: readonly Placed[]): void {
    placed.value = list.slice(0, MOST_KEPT);
    keep(JSON.stringify(placed.value));
  }
  const change = (key: string, changed: Partial<Placed>) =>
    set(placed.value.map((one) => (one.key === key ? { ...one, ...changed } : one)));

  async function ask({ key, order }: Placed): Promise<void> {
    change(key, { state: 'asking', reason: '' });
    const answer = await perform(order, key);
    change(key, answer.ok ? { state: 'done' } : { state: answer.outcome, reason: answer.reason });
    onEnd();
  }

  return {
    placed,
    isAsking: () => placed.value.some(({ state }) => state === 'asking'),
    /** Asks the node. Under a key that is there already it is the same order, pressed twice: it is done once. */
    place(order: WalletOrder, key: string): void {
      const same = placed.value.find((one) => one.key === key && one.signIn === signIn());
      if (same?.state === 'asking' || same?.state === 'done') return;
      const one: Placed = {
        ...{ key, order, at: now(), signIn: signIn() },
        ...{ state: 'asking', reason: '' },
      };
      set([one, ...placed.value.filter((other) => other.key !== key)]);
      void ask(one);
    },
    /** Asks for the same once more, under the same key. */
    again(key: string): void {
      const one = placed.value.find((candidate) => candidate.key === key);
      if (one !== undefined && mayAskAgain(one, signIn(), now())) void ask(one);
    },
    mayAskAgain: (one: Placed) => mayAskAgain(one, signIn(), now()),
    forget(key: string): void {
      set(placed.value.filter((one) => one.key !== key || one.state === 'asking'));
    },
  };
}

/** What this tab has asked for before it was loaded anew. */
function stored(text: string | null): readonly Placed[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isPlaced).map(asLeft) : [];
  } catch {
    return [];
  }
}

const asLeft = (one: Placed): Placed => (one.state === 'asking' ? { ...one, state: 'left' } : one);

function isPlaced(value: unknown): value is Placed {
  const { key, at, order }: { key?: unknown; at?: unknown; order?: unknown } = Object(value);
  return typeof key === 'string' && typeof at === 'number' && typeof order === 'object';
}
