/** A payment that stays in flight because its target is muted, until the test lets it go on. */
import { expect } from 'vitest';
import type { Answer } from '../support/api.ts';
import { until } from '../support/until.ts';
import type { Devnet } from './devnet.ts';

type Held = { target: 'bob' | 'carol'; amount: string; identifier: string };

const held: { target: Held['target']; answer: Promise<Answer> }[] = [];

/** The lock has reached the target, which cannot ask for the secret. */
export async function holdPayment(devnet: Devnet, { target, ...body }: Held): Promise<void> {
  const alice = await devnet.api('alice');
  const path = devnet.filled(`{token}/{${target}}`);
  const before = (await alice.get(`/channels/${path}`)).body;
  devnet.mute(target);
  held.push({ target, answer: alice.post(`/payments/${path}`, body) });
  const isLocked = async () =>
    Object((await alice.get(`/channels/${path}`)).body).balance !== Object(before).balance;
  await until(isLocked, 'the payment is in flight');
}

/** Lets it go on as soon as the node has taken what somebody else asks for just now. */
export async function joinPayment(devnet: Devnet): Promise<void> {
  const alice = await devnet.api('alice');
  // Whatever was sent before these has arrived when they are answered.
  for (let i = 0; i < 10; i++) await alice.get('/address');
  for (const { target } of held) devnet.unmute(target);
}

/** Checks that the payment succeeds, and was made once. */
export async function letPaymentGo(devnet: Devnet, body?: unknown): Promise<void> {
  for (const { target, answer } of held.splice(0)) {
    devnet.unmute(target);
    const { status, body: first } = await answer;
    expect(status).toBe(200);
    if (body !== undefined) expect(body).toEqual(first);
  }
}
