/** Asks for the public keys of those for whom something waits, each once at a time. */
import type { Address } from '../../protocol/hex.ts';

/** Questions on their way at a time; a partner for whom there is no room is asked for with the next repeat. */
const MOST_QUESTIONS = 256;

type Options = {
  /** Asks whether the node is there, which brings its key, too. Never fails. */
  ask(address: Address): Promise<unknown>;
  /** The key of somebody for whom something waits is known now. */
  onMet(address: Address): void;
};

export function createIntroductions({ ask, onMet }: Options) {
  const awaited = new Set<Address>();

  async function find(address: Address): Promise<void> {
    await ask(address);
    awaited.delete(address);
  }

  return {
    introduce(address: Address): void {
      if (awaited.has(address) || awaited.size >= MOST_QUESTIONS) return;
      awaited.add(address);
      void find(address);
    },
    /** Somebody's key is known, from wherever. */
    met(address: Address): void {
      if (awaited.delete(address)) onMet(address);
    },
  };
}
