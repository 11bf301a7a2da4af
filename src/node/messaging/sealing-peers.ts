/**
 * The nodes whose public keys are known: partners and strangers in separate groups of limited size, so that strangers,
 * of whom there may be any number, push out only each other. The node that was used last is kept longest.
 */
import type { Address } from '../../basics/hex.ts';

export type PeerLimits = { partners: number; strangers: number };
type Known = { address: Address; publicKey: Uint8Array };
type Options<P> = {
  limits: PeerLimits;
  isPartner(address: Address): boolean;
  /** Called when the peer was pushed out. */
  onGone(peer: P): void;
};

/** A compressed public key as text, to be used as the key of a map. */
export function keyText(publicKey: Uint8Array): string {
  return Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.length).toString('latin1');
}

export function createPeers<P extends Known>({ limits, isPartner, onGone }: Options<P>) {
  const partners = new Map<Address, P>();
  const strangers = new Map<Address, P>();
  const byKey = new Map<string, P>();

  function put(peer: P): void {
    const { address } = peer;
    const isNear = partners.has(address) || isPartner(address);
    strangers.delete(address);
    const group = isNear ? partners : strangers;
    group.delete(address);
    group.set(address, peer);
    const most = isNear ? limits.partners : limits.strangers;
    const oldest = group.size > most ? group.values().next().value : undefined;
    if (oldest !== undefined) remove(group, oldest);
  }

  function remove(group: Map<Address, P>, peer: P): void {
    group.delete(peer.address);
    byKey.delete(keyText(peer.publicKey));
    onGone(peer);
  }

  /** Marks a found peer as the one used last. */
  function touched(peer: P | undefined): P | null {
    if (peer !== undefined) put(peer);
    return peer ?? null;
  }

  return {
    /** Adds a peer; false when its key is known already. */
    add(peer: P): boolean {
      const text = keyText(peer.publicKey);
      if (byKey.has(text)) return false;
      byKey.set(text, peer);
      put(peer);
      return true;
    },
    has: (peer: P): boolean => byKey.get(keyText(peer.publicKey)) === peer,
    byKey: (text: string): P | null => touched(byKey.get(text)),
    /** The partner with this key, without marking it: anybody can write its key. */
    partner(text: string): P | null {
      const peer = byKey.get(text);
      return peer !== undefined && partners.has(peer.address) ? peer : null;
    },
    byAddress: (address: Address): P | null =>
      touched(partners.get(address) ?? strangers.get(address)),
    forEach(work: (peer: P) => void): void {
      for (const peer of byKey.values()) work(peer);
    },
    clear(): void {
      for (const peer of byKey.values()) onGone(peer);
      for (const all of [partners, strangers, byKey]) all.clear();
    },
  };
}
