/**
 * How programs that serve chains word what JSON-RPC has no code for: one number, -32000, stands for most of what a pool or
 * a contract refuses, and no two programs choose the same words for it. Words decide over nothing that costs money: what a
 * transaction has come to is asked of the chain, see `pending-transactions.ts`.
 */

export type Meaning =
  | 'already_known'
  | 'nonce_too_low'
  | 'underpriced'
  | 'insufficient_gas'
  | 'reverted';

/** In lower case, each with the programs that say so. The first line that fits counts. */
const WORDS: readonly (readonly [Meaning, readonly RegExp[]])[] = [
  // First, because the text of a contract may follow, which says what it likes.
  [
    'reverted',
    [
      /execution reverted/, // geth, erigon, reth, anvil, besu
      /\brevert(ed)?\b/, // Hardhat, ganache: VM Exception while processing transaction: revert
      /vm execution error/, // nethermind, OpenEthereum
      /gas required exceeds allowance/, // geth, erigon: it fails with all the gas that there is
      /out ?of ?gas/, // the same in a call: geth, anvil; Hardhat: ran out of gas
      /always failing transaction/, // geth before 1.9, ganache
      /invalid (opcode|jump)|stack (under|over)flow|bad instruction/, // geth, reth; OpenEthereum
    ],
  ],
  [
    'already_known',
    [
      /already ?known/, // geth, erigon, reth; nethermind in one word
      /\bknown transaction/, // besu, Hardhat, geth before 1.9, gateways
      /already imported/, // anvil; OpenEthereum: with the same hash
      /existing tx with same hash/, // erigon
    ],
  ],
  [
    'nonce_too_low',
    [
      /nonce (is )?too low/, // geth, erigon, reth, anvil, besu, Hardhat; OpenEthereum with "is"
      /\bold ?nonce/, // nethermind
      /ownnoncealreadyused/, // nethermind
      /nonce already used/, // gateways
    ],
  ],
  [
    'underpriced',
    [
      /underpriced/, // geth, erigon, reth, anvil, besu
      /fee ?too ?low/, // nethermind in one word, erigon
      /replacementnotallowed/, // nethermind
      /could not replace existing tx/, // erigon
      /fee(pergas| cap| per gas)? (is |\(\d+\) is )?(less than|below|too low)/, // geth, reth, anvil; Hardhat
      /gas ?price (supplied )?(is )?(too low|below|set below)/, // besu, geth, OpenEthereum
      /transaction is outdated/, // Celo
    ],
  ],
  [
    'insufficient_gas',
    [
      /insufficient ?(funds|balance)/, // geth, erigon, reth, anvil, OpenEthereum; nethermind in one word
      /upfront cost exceeds account balance/, // besu
      /(doesn't|does not) have enough funds/, // Hardhat, ganache
      /exceeds transaction sender account balance/, // Hardhat
    ],
  ],
];

/** What an endpoint means by these words; null: nobody knows. */
export function meaningOf(words: string): Meaning | null {
  const text = words.toLowerCase();
  return WORDS.find(([, some]) => some.some((one) => one.test(text)))?.[0] ?? null;
}
