/** What a seller's tabs come to, for people and for Prometheus. */
import type { Address } from '../basics/hex.ts';
import type { Tab } from './tab.ts';

/** `units`: what lies on them, in the token's smallest unit. */
type Some = { count: number; units: bigint };
/** `closed`: those whose buyers have not had their rest. `charged`: since the start, in the token's smallest unit. */
type TokenFigures = { open: Some; closed: Some; charged: bigint };
/** `count` and `held`: of all tabs, open or closed. */
export type TabFigures = {
  count: number;
  held: ReadonlyMap<Address, bigint>;
  tokens: ReadonlyMap<Address, TokenFigures>;
};

/** `charged`: of each token, what calls came to. */
export function figuresOf(tabs: Iterable<Tab>, charged: ReadonlyMap<Address, bigint>): TabFigures {
  const none = (): Some => ({ count: 0, units: 0n });
  const tokens = new Map<Address, TokenFigures>();
  const ofToken = (token: Address) => {
    const known = tokens.get(token) ?? { open: none(), closed: none(), charged: 0n };
    tokens.set(token, known);
    return known;
  };
  for (const [token, amount] of charged) ofToken(token).charged = amount;
  const held = new Map<Address, bigint>();
  let count = 0;
  for (const { token, ending, received, charged: spent } of tabs) {
    const some = ofToken(token)[ending === null ? 'open' : 'closed'];
    some.count += 1;
    some.units += received - spent;
    held.set(token, (held.get(token) ?? 0n) + received - spent);
    count += 1;
  }
  return { count, held, tokens };
}
