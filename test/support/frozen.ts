/** An endpoint that a test can freeze: it goes on answering, but knows of no block that comes afterwards. */
import type { ChainConnection } from '../../src/chain/client.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';

export type FreezableEndpoint = Awaited<ReturnType<typeof startFreezable>>;

export async function startFreezable(target: string, { client }: ChainConnection) {
  const proxy: RpcProxy = await startRpcProxy(target);
  /** `block`: what the endpoint calls the newest from now on. */
  function show(block: () => Promise<bigint>) {
    proxy.setRule(async ({ method, params }, forward) => {
      if (method === 'eth_blockNumber') return { result: hex(await block()) };
      if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return forward();
      return { result: await client.request({ method, params: [hex(await block()), false] }) };
    });
  }
  const head = () => client.getBlockNumber({ cacheTime: 0 });
  return {
    rpc: proxy.rpc,
    async freeze() {
      const block = await head();
      show(async () => block);
    },
    /** It knows each block, but late. */
    lag: (blocks: bigint) => show(async () => (await head()) - blocks),
    thaw: () => proxy.setRule(null),
    stop: proxy.stop,
  };
}

const hex = (block: bigint) => `0x${block.toString(16)}` as const;
