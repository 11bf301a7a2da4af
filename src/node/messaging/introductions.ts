/** Asks for the public keys of nodes for which messages wait, with one question at a time for each node. */
import type { Address } from '../../basics/hex.ts';

/** Questions on their way at a time; a partner for whom there is no room is asked for with the next repeat. */
const MOST_QUESTIONS = 256;

type Options = {
  /** Asks whether the node is online; the answer carries its public key. Never fails. */
  ask(address: Address): Promise<unknown>;
  /** Called when the key of a node for which messages wait has become known. */
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
    /** Called when a node's key has become known, from any source. */
    met(address: Address): void {
      if (awaited.delete(address)) onMet(address);
    },
  };
}
