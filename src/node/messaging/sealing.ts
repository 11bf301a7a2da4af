/**
 * Sealed sessions with other nodes: what is sent is sealed for its recipient; opening what is received proves who sent
 * it. See `src/protocol/wire/envelope.ts` for the layout and `seal.ts` for the cipher.
 *
 * A replay is refused as long as this process remembers its session; after a restart it is not. So a repeated message
 * must have no further effect, as everywhere in the protocol.
 */

import { type Address, fromHex, type Hex, toHex } from '../../basics/hex.ts';
import { createRate, createTokenBucket, type Level } from '../../basics/token-bucket.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import { compressedKey, isPublicKeyOf } from '../../protocol/public-key.ts';
import {
  type Promised,
  promiseIn,
  promiseText,
  SALT_BYTES,
  type SealedFor,
  type SealPlace,
  sealedFor,
  sealInfo,
  secretInfo,
  splitSealed,
} from '../../protocol/wire/envelope.ts';
import { type LineRefusal, refusal } from '../../protocol/wire/lines.ts';
import { AES_CIPHER, type Cipher, NO_SALT, type SealKeys, wipeKeys } from '../../signer/seal.ts';
import { createReplayWindow, type ReplayWindow } from './replay-window.ts';
import { createPeers, keyText, type PeerLimits } from './sealing-peers.ts';

export type Sealing = ReturnType<typeof createSealing>;
export type OpenedPayload = { ok: true; sender: Address; text: Uint8Array } | LineRefusal;
export type Claim = { ok: true; by: Address | null } | LineRefusal;

type Options = SealPlace & {
  own: Address;
  /** 65 bytes. */
  publicKey: Uint8Array;
  /** The signer's function: the secret shared with the owner of this key; null when the key is not on the curve. */
  sharedSecret(compressed: Uint8Array): Uint8Array | null;
  addressOf(compressed: Uint8Array): Address | null;
  drawSalt(count: number): Uint8Array;
  /** Whether there is a channel with the address: partners are never pushed out by strangers. */
  isPartner(address: Address): boolean;
  now(): number;
  /** Absent: AES-256-GCM. */
  cipher?: Cipher;
  /** Called when the key of this address has just become known. */
  onMet?(address: Address): void;
  limits?: Partial<Limits>;
};
type Limits = PeerLimits & {
  /** First payloads of strangers whose keys are unknown: each costs curve arithmetic. */
  firstWords: Rate;
  /** New salts under one known key: anybody can write any key into a header. */
  newSalts: Rate;
  /** Payloads under a known key and a known salt that its owner did not seal. */
  forged: Rate;
  /** Payloads under one salt: far fewer than the cipher allows. */
  payloads: number;
};

type Rate = { most: number; perSecond: number };

type Outgoing = { salt: Uint8Array; keys: SealKeys; counter: number };
type Incoming = { salt: Uint8Array; keys: SealKeys; window: ReplayWindow };
/** `shared`: the secret shared by our keys; derived with the first payload in either direction. */
type Peer = {
  address: Address;
  publicKey: Uint8Array;
  shared: Uint8Array | null;
  outgoing: Outgoing | null;
  incoming: Incoming[];
  /** Keys of secrets that are sent with locks, by the initiator: this node or the peer. */
  secretKeys: Map<Address, SealKeys>;
  /** Limits on what others try in the peer's name. */
  doubts: { newSalts: Level; forged: Level };
};

const LIMITS: Limits = {
  partners: 10_000,
  strangers: 4_096,
  firstWords: { most: 1_000, perSecond: 250 },
  newSalts: { most: 200, perSecond: 100 },
  forged: { most: 20_000, perSecond: 10_000 },
  payloads: 2 ** 32,
};
/**
 * Sessions kept per sender: payloads from before the sender's restart may still be on their way. Drawing many salts
 * gains a sender nothing.
 */
const MOST_INCOMING = 3;

const REPLAY = 'a replay';

export function createSealing(options: Options) {
  const { own, isPartner, drawSalt, now, cipher = AES_CIPHER, onMet = () => {} } = options;
  const limits = { ...LIMITS, ...options.limits };
  const publicKey = compressedKey(options.publicKey);
  const ownText = keyText(publicKey);
  const firstWords = createTokenBucket({ ...limits.firstWords, now });
  const doubts = createDoubts({ ...limits, now });
  const peers = createPeers<Peer>({ limits, isPartner, onGone: forget });
  let hasEnded = false;

  const newPeer = (address: Address, publicKey: Uint8Array): Peer => {
    const secretKeys = new Map<Address, SealKeys>();
    const sessions = { shared: null, outgoing: null, incoming: [], secretKeys };
    return { address, publicKey, ...sessions, doubts: doubts.none() };
  };
  /** For secrets of payments to oneself. No payload is sealed for it, and none of it is opened. */
  const itself = newPeer(own, publicKey);

  function meet(peer: Peer): void {
    if (peers.add(peer)) onMet(peer.address);
  }

  /** Null when the peer's key is no point of the curve: then nobody can own it. */
  function derive(peer: Peer, salt: Uint8Array, info: Uint8Array): SealKeys | null {
    peer.shared ??= options.sharedSecret(peer.publicKey);
    return peer.shared && cipher.sealKeys(peer.shared, salt, info);
  }

  function startOutgoing(peer: Peer): Outgoing | null {
    const salt = drawSalt(SALT_BYTES);
    const keys = derive(peer, salt, sealInfo(options, own, peer.address));
    return keys && { salt, keys, counter: 0 };
  }

  /** The keys of secrets from `initiator` to `target`, one of which is this node; null while the other's is not known. */
  function secretKeys(initiator: Address, target: Address): SealKeys | null {
    const other = initiator === own ? target : initiator;
    const peer = other === own ? itself : peers.byAddress(other);
    if (hasEnded || peer === null) return null;
    const kept = peer.secretKeys.get(initiator);
    if (kept !== undefined) return kept;
    const keys = derive(peer, NO_SALT, secretInfo(options, initiator, target));
    if (keys !== null) peer.secretKeys.set(initiator, keys);
    return keys;
  }

  /** A peer for an unknown key, kept only after its seal has opened; or why it is refused. */
  function stranger(key: Uint8Array): Peer | LineRefusal {
    if (!firstWords.take()) return refusal('too many strangers at once');
    // Copied, as the salt below: what is kept must not hold the payload in memory, nor change with it.
    const address = options.addressOf(key);
    return address === null ? refusal('not a public key') : newPeer(address, Uint8Array.from(key));
  }

  function open(payload: Uint8Array): OpenedPayload {
    if (hasEnded) return refusal('the node has stopped');
    const split = splitSealed(payload);
    if (!split.ok) return split;
    const { publicKey: key, salt, counter } = split.value;
    const text = keyText(key);
    if (text === ownText) return refusal('sealed by this node itself');
    const peer = peers.byKey(text) ?? stranger(key);
    if ('ok' in peer) return peer;
    const known = sessionOf(peer, salt);
    const tooMuch = doubts.why(peer, known, counter);
    if (tooMuch !== null) return refusal(tooMuch);
    const keys = known?.keys ?? derive(peer, salt, sealInfo(options, peer.address, own));
    const lines = keys && cipher.unseal(keys, split.value);
    if (keys === null || lines === null) {
      if (known !== undefined) doubts.noteForged(peer);
      else if (keys !== null) wipeKeys(keys);
      if (!peers.has(peer)) forget(peer);
      return refusal('the seal does not open');
    }
    const session = known ?? { salt: Uint8Array.from(salt), keys, window: createReplayWindow() };
    session.window.note(counter);
    keep(peer, session);
    meet(peer);
    return { ok: true, sender: peer.address, text: lines };
  }

  /** Keeps the session as the one used last, and forgets the one that was used longest ago. */
  function keep(peer: Peer, session: Incoming): void {
    if (peer.incoming.at(-1) === session) return;
    const others = peer.incoming.filter((other) => other !== session);
    const gone = others.length < MOST_INCOMING ? undefined : others.shift();
    if (gone !== undefined) wipeKeys(gone.keys);
    peer.incoming = [...others, session];
  }

  return {
    /** Takes the public key of an address from any sender: the address is its hash, so a wrong key is recognised. */
    learn(address: Address, told: Uint8Array): void {
      if (address === own || peers.byAddress(address) !== null) return;
      if (isPublicKeyOf(told, address)) meet(newPeer(address, compressedKey(told)));
    },
    knows: (address: Address): boolean => peers.byAddress(address) !== null,
    /** The sealed payload for this recipient, or null while its key is not known. */
    seal(to: Address, text: Uint8Array): Uint8Array | null {
      const peer = peers.byAddress(to);
      if (peer === null || hasEnded) return null;
      if (peer.outgoing !== null && peer.outgoing.counter >= limits.payloads) endOutgoing(peer);
      peer.outgoing ??= startOutgoing(peer);
      if (peer.outgoing === null) return null;
      const { salt, keys } = peer.outgoing;
      peer.outgoing.counter += 1;
      return cipher.seal(keys, { publicKey, salt, counter: peer.outgoing.counter }, text);
    },
    open,
    /**
     * The partner in whose name the payload comes: nothing proves it before it is opened. Null: anybody else's. What can be
     * seen to be of no use is refused here, before it takes the room of what is.
     */
    claimOf(payload: Uint8Array): Claim {
      const split = splitSealed(payload);
      if (!split.ok) return split;
      const { publicKey: key, salt, counter } = split.value;
      const peer = peers.partner(keyText(key));
      if (peer === null) return { ok: true, by: null };
      const isReplay = sessionOf(peer, salt)?.window.isFresh(counter) === false;
      return isReplay ? refusal(REPLAY) : { ok: true, by: peer.address };
    },
    /**
     * The secret of a payment to this node, and the least that it is to get, readable for it alone; null while its key
     * is not known.
     */
    sealSecret(to: Address, payment: SealedFor, promised: Promised): Hex | null {
      const keys = secretKeys(own, to);
      return keys && toHex(cipher.sealSecret(keys, sealedFor(payment), promiseText(promised)));
    },
    /**
     * The secret that this initiator sealed for a payment to this node; null when it is not that of the payment, or the
     * lock holds less than the initiator promised: somebody on the way has kept too much.
     */
    openSecret(initiator: Address, payment: SealedFor, lockAmount: bigint, sealed: Hex) {
      const keys = secretKeys(initiator, own);
      const text = keys && cipher.unsealSecret(keys, sealedFor(payment), fromHex(sealed));
      return text && keptPromise(promiseIn(text), payment, lockAmount);
    },
    /** From here on everything is sealed under new salts, as after a start. */
    renew: () => peers.forEach(endOutgoing),
    /** Overwrites every key; nothing is sealed or opened afterwards. */
    end() {
      hasEnded = true;
      peers.clear();
      forget(itself);
    },
  };
}

/** The secret, if it is that of the payment, and the lock holds what the initiator has promised. */
function keptPromise({ secret, amount }: Promised, { secrethash }: SealedFor, lockAmount: bigint) {
  return secrethashOf(secret) === secrethash && lockAmount >= amount ? secret : null;
}

/** How much others may try in the name of one peer. */
function createDoubts({
  now,
  ...limits
}: Pick<Limits, 'newSalts' | 'forged'> & Pick<Options, 'now'>) {
  const newSalts = createRate({ ...limits.newSalts, now });
  const forged = createRate({ ...limits.forged, now });
  return {
    none: (): Peer['doubts'] => ({ newSalts: newSalts.full(), forged: forged.full() }),
    noteForged: ({ doubts }: Peer) => void forged.take(doubts.forged),
    /**
     * Why a payload is refused before any arithmetic is spent on it, or null. What a stranger tries in a peer's name under
     * new salts must not keep the peer's own session from being heard.
     */
    why({ doubts }: Peer, session: Incoming | undefined, counter: number): string | null {
      if (session === undefined)
        return newSalts.take(doubts.newSalts) ? null : 'too many salts under one name';
      if (!session.window.isFresh(counter)) return REPLAY;
      return forged.isEmpty(doubts.forged) ? 'too much that is forged under one name' : null;
    },
  };
}

function sessionOf({ incoming }: Peer, salt: Uint8Array): Incoming | undefined {
  return incoming.find((session) => Buffer.compare(session.salt, salt) === 0);
}

function endOutgoing(peer: Peer): void {
  if (peer.outgoing !== null) wipeKeys(peer.outgoing.keys);
  peer.outgoing = null;
}

function forget(peer: Peer): void {
  endOutgoing(peer);
  for (const { keys } of peer.incoming) wipeKeys(keys);
  peer.incoming = [];
  for (const keys of peer.secretKeys.values()) wipeKeys(keys);
  peer.secretKeys.clear();
  peer.shared?.fill(0);
  peer.shared = null;
}
