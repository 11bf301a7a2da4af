/** The answers of the paywall itself, which people can read, too. */
import { PENDING, TOO_MANY_UNSERVED } from '../x402/reasons.ts';
import { UNPRICED, type Unpriced } from './price-asker.ts';

/** `price`: as a person writes it. `error`: why a proof was refused; null: there was none. */
export type Demanded = { price: string; token: string; url: string; error: string | null };

/** The body of a 402: JSON, or a page for a browser. */
export function demandBody(demanded: Demanded, isPage: boolean): Response {
  const { price, token, url, error } = demanded;
  const why = whyOf(error);
  // Pasted into a shell, the URL must not end its quotes.
  const how = `sluice fetch '${url.replaceAll("'", '%27')}' --token ${token} --most ${price}`;
  if (!isPage)
    return Response.json({ error: error ?? 'payment_required', message: why, price, token, how });
  const text = [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>402 Payment Required</title>',
    '<body style="font-family:system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem">',
    `<h1>${escaped(price)} of a token</h1><p>${escaped(why)}</p>`,
    `<p>It costs ${escaped(price)} of the token <code>${escaped(token)}</code>, paid over a channel. `,
    'With a node of your own, ask for it so:</p>',
    `<pre style="overflow:auto">${escaped(how)}</pre>`,
    '<p>Programs find the offer in the header PAYMENT-REQUIRED (x402, scheme “channel”).</p>',
  ].join('');
  return new Response(text, { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

function whyOf(error: string | null): string {
  if (error === null) return 'This call has to be paid for.';
  if (error === PENDING)
    return 'The payment is still under way: ask again with the same proof, it will be taken.';
  return `The payment was not taken: ${error}.`;
}

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

const RETRY_SECONDS: Record<number, string> = { 429: '1', 503: '5' };

export function refusal(status: number, error: string, message: string): Response {
  const seconds = RETRY_SECONDS[status];
  // Some caches keep refusals for a while of themselves.
  const headers = new Headers({ 'cache-control': 'no-store' });
  if (seconds !== undefined) headers.set('retry-after', seconds);
  return Response.json({ error, message }, { status, headers });
}

/** Nothing is offered, since the seller's server does not say for how much. */
export function unpriced({ reason }: Unpriced): Response {
  return reason === UNPRICED
    ? refusal(503, reason, 'What this call costs is not known at this moment: ask again.')
    : refusal(429, reason, 'Too many prices are asked for at this moment: ask again.');
}

/** More proofs came than can be asked about. */
export const TOO_MANY = 'too_many_proofs';
const MANY = {
  [TOO_MANY]: 'Too many proofs came for which nobody has paid: ask again.',
  [TOO_MANY_UNSERVED]: 'This payer has had many answers that were not charged: ask again.',
};
export const tooMany = (reason: keyof typeof MANY): Response => refusal(429, reason, MANY[reason]);
