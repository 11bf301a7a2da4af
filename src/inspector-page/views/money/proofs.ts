/** The older balance proofs of a channel and what a settlement with each would pay, read when they are wanted. */

import { type Signal, signal } from '@preact/signals';
import { messageOf } from '../../../basics/message-of.ts';
import type { InspectorSource } from '../../../inspector/source.ts';
import type { ProofPayout } from '../../../inspector/wire.ts';

export type ProofSide = ProofPayout['side'];
export type ProofList = {
  /** Newest first. */
  proofs: Signal<readonly ProofPayout[]>;
  hasMore: Signal<boolean>;
  problem: Signal<string | null>;
  /** Reads as many proofs of this side as are shown again: what they pay changes with every step. */
  refresh(side: ProofSide): Promise<void>;
  /** Reads older proofs too. */
  more(side: ProofSide): Promise<void>;
};

const AT_ONCE = 50;

export function createProofList(source: InspectorSource, actor: string): ProofList {
  const proofs = signal<readonly ProofPayout[]>([]);
  const hasMore = signal(false);
  const problem = signal<string | null>(null);
  const path = `actors/${encodeURIComponent(actor)}/proofs`;
  let shown: ProofSide | null = null;
  let asked = 0;

  async function read(side: ProofSide, count: number) {
    let found: readonly ProofPayout[] = [];
    for (;;) {
      const before = found.at(-1)?.nonce;
      const query = { side, limit: `${AT_ONCE}`, ...(before && { before: `${before}` }) };
      const page = await source.read('proofs', path, query);
      found = [...found, ...page.proofs];
      if (!page.hasMore || page.proofs.length === 0) return { found, hasMore: false };
      if (found.length >= count) return { found, hasMore: true };
    }
  }

  /** An answer that arrives after a newer request is dropped. */
  async function show(side: ProofSide, count: number): Promise<void> {
    asked += 1;
    const turn = asked;
    try {
      const answer = await read(side, count);
      if (turn !== asked) return;
      shown = side;
      proofs.value = answer.found;
      hasMore.value = answer.hasMore;
      problem.value = null;
    } catch (error) {
      if (turn === asked) problem.value = messageOf(error);
    }
  }

  const countOf = (side: ProofSide) => (side === shown ? proofs.value.length : 0);
  return {
    proofs,
    hasMore,
    problem,
    refresh: (side) => show(side, Math.max(AT_ONCE, countOf(side))),
    more: (side) => show(side, countOf(side) + AT_ONCE),
  };
}
