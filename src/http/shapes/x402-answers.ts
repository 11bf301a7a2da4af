/** What x402 has a facilitator answer: its shapes, and how they are filled. */
import * as v from 'valibot';
import type { KeptAnswer } from '../../node/api/keyed.ts';
import { type Judged, REASONS } from '../../node/api/selling/judge.ts';
import type { Released, Settled } from '../../node/api/selling/redemptions.ts';
import { address, decimal } from '../../protocol/text-shapes.ts';
import { text } from './fields.ts';

const reason = v.picklist(REASONS);
const settled = {
  success: v.boolean(),
  errorReason: v.exactOptional(reason),
  transaction: v.pipe(
    v.string(),
    v.metadata({ description: 'The secrethash of the payment; empty without success.' }),
  ),
  network: text,
  payer: v.exactOptional(address),
};

export const supported = v.strictObject({
  kinds: v.array(
    v.strictObject({ x402Version: v.literal(2), scheme: v.literal('channel'), network: text }),
  ),
  extensions: v.array(text),
  signers: v.record(text, v.array(text)),
});
export const verification = v.strictObject({
  isValid: v.boolean(),
  invalidReason: v.exactOptional(reason),
  payer: v.exactOptional(address),
});
export const settlement = v.strictObject({
  ...settled,
  amount: v.exactOptional(decimal),
  extra: v.exactOptional(
    v.strictObject({
      redemption: v.pipe(v.string(), v.metadata({ description: 'Names this redemption.' })),
    }),
  ),
});
export const release = v.strictObject(settled);

export function verificationObject(judged: Judged): v.InferOutput<typeof verification> {
  const { payer } = judged;
  if (judged.isGood) return { isValid: true, payer };
  return { isValid: false, invalidReason: judged.reason, payer };
}

export function settlementObject(answer: Settled, network: string) {
  return answer.isGood ? redemptionObject(answer) : refusedObject(answer, network);
}

export function releasedObject(answer: Released, network: string) {
  return answer.isGood ? releaseObject(answer) : refusedObject(answer, network);
}

type Of<K extends KeptAnswer['kind']> = Omit<Extract<KeptAnswer, { kind: K }>, 'kind'>;

export function redemptionObject(answer: Of<'redemption'>): v.InferOutput<typeof settlement> {
  const { secrethash, network, payer, amount, redemption } = answer;
  if (redemption === null) return refusedObject({ reason: 'released', payer }, network);
  const extra = { redemption };
  return { success: true, transaction: secrethash, network, payer, amount: String(amount), extra };
}

export function releaseObject(answer: Of<'release'>): v.InferOutput<typeof release> {
  const { secrethash, network, payer } = answer;
  return { success: true, transaction: secrethash, network, payer };
}

function refusedObject(
  { reason, payer }: Pick<Extract<Settled, { isGood: false }>, 'reason' | 'payer'>,
  network: string,
): v.InferOutput<typeof release> {
  return { success: false, errorReason: reason, transaction: '', network, payer };
}
