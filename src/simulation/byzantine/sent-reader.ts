/**
 * Opens payloads from one node as their recipients would: sender and recipient have the same shared secret. There is one of
 * these for each node, and a node may have a thousand partners, so it keeps of each session its keys and what was seen.
 */

import type { Address } from '../../basics/hex.ts';
import { createReplayWindow, type ReplayWindow } from '../../node/messaging/replay-window.ts';
import type { OpenedPayload } from '../../node/messaging/sealing.ts';
import { compressedKey } from '../../protocol/public-key.ts';
import { type SealPlace, sealInfo, splitSealed } from '../../protocol/wire/envelope.ts';
import { refusal } from '../../protocol/wire/lines.ts';
import type { Cipher, SealKeys } from '../../signer/seal.ts';

type Options = {
  place: SealPlace;
  cipher: Cipher;
  addressOf(compressed: Uint8Array): Address | null;
  /** The public key of an address, 65 bytes; null: no node has this address. */
  publicKeyOf(address: Address): Uint8Array | null;
  /** The secret that this node shares with the owner of the key. */
  sharedSecret(compressed: Uint8Array): Uint8Array | null;
};
type Session = { salt: Uint8Array; keys: SealKeys; window: ReplayWindow };

/** As many as a recipient remembers of one sender. */
const MOST_SESSIONS = 3;

export function createSentReader(options: Options) {
  const { place, cipher, addressOf, publicKeyOf, sharedSecret } = options;
  const sessions = new Map<Address, Session[]>();

  function newSession(to: Address, sender: Address, salt: Uint8Array): Session | null {
    const publicKey = publicKeyOf(to);
    const shared = publicKey === null ? null : sharedSecret(compressedKey(publicKey));
    if (shared === null) return null;
    const keys = cipher.sealKeys(shared, salt, sealInfo(place, sender, to));
    return { salt: Uint8Array.from(salt), keys, window: createReplayWindow() };
  }

  return {
    open(to: Address, payload: Uint8Array): OpenedPayload {
      const split = splitSealed(payload);
      if (!split.ok) return split;
      const { publicKey, salt, counter } = split.value;
      const sender = addressOf(publicKey);
      if (sender === null) return refusal('not a public key');
      const kept = sessions.get(to) ?? [];
      const known = kept.find((session) => Buffer.compare(session.salt, salt) === 0);
      const session = known ?? newSession(to, sender, salt);
      if (session === null || !session.window.isFresh(counter)) return refusal('a replay');
      const text = cipher.unseal(session.keys, split.value);
      if (text === null) return refusal('the seal does not open');
      session.window.note(counter);
      if (known === undefined) sessions.set(to, [...kept.slice(1 - MOST_SESSIONS), session]);
      return { ok: true, sender, text };
    },
  };
}
