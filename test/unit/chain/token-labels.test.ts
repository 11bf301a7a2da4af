import { HttpRequestError } from 'viem';
import { describe, expect, it } from 'vitest';
import { createTokenLabels } from '../../../src/chain/token-labels.ts';
import { TOKEN } from '../../support/makers.ts';

type Client = Parameters<typeof createTokenLabels>[0];

/** Answers by function name; a function throws what it returns an error of. */
function clientWith(answers: Record<string, () => unknown>) {
  const asked: string[] = [];
  const readContract: unknown = async (call: { functionName: string }) => {
    asked.push(call.functionName);
    const answer = answers[call.functionName]?.();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const isClient = (client: object): client is Client => 'readContract' in client;
  const client = { readContract };
  if (!isClient(client)) throw new Error('no client');
  return { client, asked };
}
const labelsWith = (symbol: unknown, decimals: unknown = 18) =>
  createTokenLabels(clientWith({ symbol: () => symbol, decimals: () => decimals }).client)([TOKEN]);

describe('the labels of tokens', () => {
  it('are asked for once', async () => {
    const { client, asked } = clientWith({ symbol: () => ' TTA ', decimals: () => 6 });
    const labels = createTokenLabels(client);
    expect(await labels([TOKEN])).toEqual([{ address: TOKEN, symbol: 'TTA', decimals: 6 }]);
    await labels([TOKEN]);
    expect(asked).toHaveLength(2);
  });

  it.each(['WETH', 'USD₮', 'a.b-c_d+1', '日本円'])('show %s', async (symbol) => {
    expect(await labelsWith(symbol)).toEqual([{ address: TOKEN, symbol, decimals: 18 }]);
  });

  it.each([
    ['nothing', ''],
    ['more than there is room for', 'x'.repeat(13)],
    ['very much', 'x'.repeat(1_000_000)],
    ['markup', '<b>'],
    ['text that turns around', '\u202eATT'],
    ['two words', 'US Dollar'],
  ])('show no symbol of %s', async (_, symbol) => {
    expect(await labelsWith(symbol)).toEqual([]);
  });

  it('show no token with more decimals than an amount can have', async () => {
    expect(await labelsWith('TTA', 200)).toEqual([]);
  });

  it('are asked for again when the endpoint did not answer, and not when the token refused', async () => {
    const away = new HttpRequestError({ url: 'http://127.0.0.1:1' });
    const { client, asked } = clientWith({ symbol: () => 'TTA', decimals: () => away });
    const labels = createTokenLabels(client);
    await labels([TOKEN]);
    await labels([TOKEN]);
    expect(asked).toEqual(['decimals', 'decimals']);
    const refused = clientWith({ decimals: () => new Error('reverted') });
    const others = createTokenLabels(refused.client);
    await others([TOKEN]);
    await others([TOKEN]);
    expect(refused.asked).toEqual(['decimals']);
  });
});
