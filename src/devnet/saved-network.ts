/** Reads the network of a devnet from its nodes, and makes one. */
import * as v from 'valibot';
import type { Address } from '../basics/hex.ts';
import { messageOf } from '../basics/message-of.ts';
import { openChannel, type Party } from './first-payment.ts';
import { nameOf } from './network/accounts.ts';
import { type NetworkFile, readNetworkFile } from './network-file.ts';
import type { NetworkKeeper } from './page/play.ts';

type Token = { address: Address; symbol: string };
type Settings = NetworkFile['settings'];

const listed = v.array(
  v.object({
    partner_address: v.string(),
    token_address: v.string(),
    state: v.string(),
    balance: v.string(),
  }),
);

/** What there is now, with the present balances as deposits. Rejects when a node does not answer. */
async function savedNetwork(
  all: readonly Party[],
  tokens: readonly Token[],
  settings: Settings,
): Promise<NetworkFile> {
  const nodes = all.filter(({ name }, at) => name === nameOf(at));
  const sides = await Promise.all(
    nodes.map(async (node) => {
      const channels = v.parse(listed, await (await fetch(`${node.api}/api/v1/channels`)).json());
      return channels.filter(({ state }) => state === 'opened').map((one) => ({ node, ...one }));
    }),
  );
  const found = sides.flat();
  const channels = found.flatMap((side) => {
    const partner = nodes.find(({ address }) => address === side.partner_address);
    const symbol = tokens.find(({ address }) => address === side.token_address)?.symbol;
    const other = found.find(
      ({ node, partner_address, token_address }) =>
        node === partner &&
        partner_address === side.node.address &&
        token_address === side.token_address,
    );
    if (partner === undefined || other === undefined || symbol === undefined) return [];
    if (nodes.indexOf(side.node) > nodes.indexOf(partner)) return [];
    const between: [string, string] = [side.node.name, partner.name];
    const deposits: [string, string] = [side.balance, other.balance];
    return [{ between, token: symbol, deposits }];
  });
  return { version: 1, nodes: nodes.map(({ name }) => name), settings, channels };
}

/** Opens the channels of the file; answers what could not be done, null: nothing is missing. */
export async function makeNetwork(
  { channels }: NetworkFile,
  nodes: readonly Party[],
  tokens: readonly Token[],
): Promise<string | null> {
  const partyOf = (name: string) => nodes.find((node) => node.name === name);
  const made = await Promise.all(
    channels.map(async ({ between, token: symbol, deposits }) => {
      const [left, right] = between.map(partyOf);
      const token = tokens.find((one) => one.symbol === symbol);
      if (token === undefined) return `there is no token ${symbol}`;
      if (left === undefined || right === undefined) return `${between.join(' or ')} does not run`;
      return openChannel(left, right, { token, timeouts: {}, deposits }).then(
        () => null,
        messageOf,
      );
    }),
  );
  return made.find((problem) => problem !== null) ?? null;
}

/** `nodes` may grow. */
export function networkKeeper(
  nodes: readonly Party[],
  tokens: readonly Token[],
  settings: Settings,
): NetworkKeeper {
  return {
    blockSeconds: settings.block_seconds,
    save: () => savedNetwork(nodes, tokens, settings),
    read(text) {
      const read = readNetworkFile(text);
      if (!read.ok) return read;
      const { value: file } = read;
      return {
        ok: true,
        names: file.nodes,
        channels: file.channels.length,
        make: () => makeNetwork(file, nodes, tokens),
      };
    },
  };
}
