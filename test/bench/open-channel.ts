/** Opens the channel that a benchmark pays over. */
import { createCaller } from './callers.ts';

/** The node at `api` opens it and brings all that is ever paid; resolves when the chain has both. */
export async function openChannel(
  api: string,
  { token, partner }: { token: string; partner: string },
): Promise<void> {
  const caller = createCaller(api);
  const opened = await caller.call('PUT', '/channels', {
    token_address: token,
    partner_address: partner,
    total_deposit: String(10n ** 18n),
    settle_timeout: '500',
    reveal_timeout: '50',
  });
  caller.close();
  if (opened.status !== 201) throw new Error(`open answered ${opened.status}: ${opened.body}`);
}
