/** What is left of many takeovers: what callers were told, and what both nodes hold. */
import { apiAt, channelIn } from '../support/api.ts';
import { notOnceIn } from '../support/callers.ts';
import { until } from '../support/until.ts';
import type { Couple, Surroundings } from './replica-network.ts';

/**
 * `lost`: payments that were answered with 200, and are not in both histories exactly once; `isMirrored`: whether both nodes
 * hold the same of the channel between them.
 */
type Books = { lost: number; isMirrored: boolean };

const REST_MS = 60_000;

/** Waits until nothing is on its way, and looks. `api`: that of the payer's node. */
export async function readBooks(
  { token }: Pick<Surroundings, 'token'>,
  { payee, payerKey, target }: Couple,
  { api, paid }: { api: string; paid: readonly bigint[] },
): Promise<Books> {
  const [own, partner] = [apiAt(api), apiAt(payee.api)];
  const payer = payerKey.signer.address;
  const channelOf = async (node: typeof own, other: string) =>
    channelIn(await node.get(`/channels/${token}/${other}`));
  let books: Books = { lost: paid.length, isMirrored: false };
  const isAtRest = async () => {
    const [ours, theirs] = [await channelOf(own, target), await channelOf(partner, payer)];
    const [sent, received] = await Promise.all([own.history(), partner.history()]);
    const lost = new Set([...notOnceIn(sent, paid), ...notOnceIn(received, paid)]).size;
    const isMirrored =
      ours.balance + theirs.balance === ours.total_deposit + theirs.total_deposit &&
      theirs.balance - theirs.total_deposit === BigInt(received.length);
    books = { lost, isMirrored };
    return lost === 0 && isMirrored;
  };
  await until(isAtRest, 'nothing is on its way', REST_MS).catch(() => null);
  return books;
}
