/** On which chain the buyer's node is. */
import { boundedText } from '../basics/bounded-text.ts';
import { bearerOf, type ClientOptions, placeOf } from '../client/api.ts';

const LONGEST = 100_000;

/** As CAIP-2. Throws when the node does not tell: that its inspector is off, or the token may not read. */
export async function askNetwork({
  node,
  token,
  fetch = globalThis.fetch,
}: ClientOptions & { node: string }): Promise<string> {
  const answer = await fetch(`${placeOf(node)}/inspector/node`, { headers: bearerOf(token) });
  const text = await boundedText(answer, LONGEST);
  const [, chainId] = /"chainId":\s*(?:\{"\$bigint":)?"(\d{1,78})"/.exec(text) ?? [];
  if (!answer.ok || chainId === undefined)
    throw new Error(
      `the node does not tell its chain (${answer.status}): give network, such as eip155:1`,
    );
  return `eip155:${chainId}`;
}
