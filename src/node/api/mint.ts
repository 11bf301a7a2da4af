/** Minting test tokens, to try the node out. */
import { MAX_UINT256 } from '../../basics/amount.ts';
import { failure } from '../../protocol/codes.ts';
import type { NodeApi } from './api.ts';
import { type CommandContext, createAsk } from './commands.ts';

type Context = Pick<CommandContext, 'settings' | 'own' | 'reads' | 'questions' | 'begin'>;

export function createMint(context: Context): NodeApi['mint'] {
  const { settings, own, reads } = context;
  const ask = createAsk(context);

  return async (token, to, value, call) => {
    if (settings.isProduction) return failure('main_network');
    if (value < 1n || value > MAX_UINT256)
      return failure('mint_failed', 'The value must be from 1 to 2^256 - 1.');
    const order = { token, to, value };
    const method = await reads.mintMethod(own, order);
    if (!method.ok) return method;
    const facts = { ...order, method: method.value };
    const asked = (requestId: string) => ({ type: 'cmd.mint', requestId, ...facts }) as const;
    const answer = await ask('node', 'transaction', asked, call);
    if (!answer.ok) return answer;
    return { ok: true, value: { transactionHash: answer.value.transactionHash } };
  };
}
