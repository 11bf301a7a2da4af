/** The program of a page that buys one thing and says what came of it. */
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { channelClient } from '../../src/x402/client.ts';

declare const told: { url: string; payer: string; asset: string };

async function outcome(): Promise<string> {
  const { url, payer, asset } = told;
  const caps = { most: 10n ** 18n, mostPerHost: 10n ** 18n, mostPerDay: 10n ** 18n };
  const channel = channelClient({ node: payer, asset, ...caps });
  const buy = wrapFetchWithPayment(channel.fetch, new x402Client().register('eip155:*', channel));
  try {
    const answer = await buy(url, { method: 'PUT', body: '{}' });
    const receipt = JSON.parse(atob(answer.headers.get('payment-response') ?? ''));
    const own = answer.headers.get('x-own');
    return `bought ${answer.status} ${await answer.text()} ${receipt.success} ${own}`;
  } catch (error) {
    return `refused ${error}`;
  }
}

void outcome().then((said) => Object.assign(globalThis, { said }));
