/** A simulated world of `mix`, served with the inspector: its nodes, its token, and its time. */
import * as v from 'valibot';
import { startProgram } from '../support/program.ts';
import type { Tokens } from './judge.ts';

const nodesSchema = v.object({
  nodes: v.array(v.object({ name: v.string(), base: v.string() })),
  tokens: v.array(v.object({ address: v.string(), symbol: v.string(), decimals: v.number() })),
});
const timeSchema = v.object({ block: v.number(), blocks: v.number(), state: v.string() });

export type ServedWorld = {
  /** Of the page over all nodes, with a slash at its end. */
  url: string;
  nodes: readonly { name: string; url: string }[];
  tokens: Tokens;
  blocks: number;
  /** Lets time go on to the block, or to the end of the run. */
  goTo(block: number): Promise<void>;
};

export async function serveMix(seed: number): Promise<ServedWorld> {
  const program = startProgram(['simulate', 'mix', '--seed', `${seed}`, '--inspect']);
  const [url = ''] = await program.says(/^http:\/\/127\.0\.0\.1:\d+\/inspector\/$/m);
  const { nodes, tokens } = v.parse(nodesSchema, await (await fetch(`${url}nodes`)).json());
  const command = async (text: object) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(text) };
    return v.parse(timeSchema, await (await fetch(`${url}time`, init)).json());
  };
  const { blocks } = v.parse(timeSchema, await (await fetch(`${url}time`)).json());
  return {
    url,
    nodes: nodes.map(({ name, base }) => ({ name, url: `${url}${base}` })),
    tokens: new Map(tokens.map((token) => [token.address.toLowerCase(), token])),
    blocks,
    async goTo(block) {
      for (;;) {
        const now = await command({ do: 'block' });
        if (now.block >= block || !['paused', 'seeking'].includes(now.state)) return;
      }
    },
  };
}
