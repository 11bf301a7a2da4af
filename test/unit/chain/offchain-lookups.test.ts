/** A contract may ask whoever calls it to fetch from a URL of its choice (ERC-3668): a node fetches nothing. */
import { custom, encodeErrorResult, erc20Abi, type Hex, parseAbi, RpcRequestError } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { clientOver } from '../../../src/chain/client.ts';
import { listening } from '../../support/http-server.ts';
import { OWN, TOKEN } from '../../support/makers.ts';

const LOOKUP = parseAbi([
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData)',
]);

it.each(['plain', 'bulk'] as const)('no call of a client for %s calls does', async (kind) => {
  // Somebody else's server on this machine, and what it was asked for.
  const asked: (string | undefined)[] = [];
  const ends: (() => unknown)[] = [];
  onTestFinished(() => ends.forEach((end) => void end()));
  const url = await listening(({ url }, response) => {
    asked.push(url);
    response.end('{"data":"0x"}');
  }, ends);
  const args = [TOKEN, [`${url}/{data}`], '0x', '0x00000000', '0x'] as const;
  const data = encodeErrorResult({ abi: LOOKUP, errorName: 'OffchainLookup', args });
  const transport = custom({ request: () => Promise.reject(revertedWith(data)) });
  const client = clientOver(1, { plain: transport, bulk: transport });
  const reader = kind === 'plain' ? client : client.bulk;
  const call = { abi: erc20Abi, address: TOKEN, functionName: 'balanceOf', args: [OWN] } as const;
  await expect(reader.readContract(call)).rejects.toThrow();
  expect(asked).toEqual([]);
});

function revertedWith(data: Hex): RpcRequestError {
  const error = { code: 3, message: 'execution reverted', data };
  return new RpcRequestError({ body: {}, error, url: 'test' });
}
