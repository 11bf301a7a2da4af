/**
 * Sealed sessions with other nodes: what leaves is sealed for its recipient, what comes is opened, and with
 * it is proven who sent it. See `src/protocol/envelope.ts` for the layout and `seal.ts` for the cipher.
 *
 * A replay is refused as long as this process remembers the session it is from; after a restart it is not.
 * So a message that comes again must do nothing by itself, as everywhere in the protocol.
 */
import { SALT_BYTES, type SealPlace, sealInfo, splitSealed } from '../../protocol/envelope.ts';
import type { Address } from '../../protocol/hex.ts';
import { type Refusal, refusal } from '../../protocol/lines.ts';
import { compressedKey, isPublicKeyOf } from '../../protocol/public-key.ts';
import { createTokenBucket, type TokenBucket } from '../../protocol/token-bucket.ts';
import { createReplayWindow, type ReplayWindow } from './replay-window.ts';
import { type SealKeys, seal, sealKeys, unseal, wipeKeys } from './seal.ts';
import { createPeers, keyText, type PeerLimits } from './sealing-peers.ts';

export type Sealing = ReturnType<typeof createSealing>;
export type Opened = { ok: true; sender: Address; text: Uint8Array } | Refusal;

type Options = SealPlace & {
  own: Address;
  /** 65 bytes. */
  publicKey: Uint8Array;
  /** As the signer's. */
  sharedSecret(compressed: Uint8Array): Uint8Array | null;
  addressOf(compressed: Uint8Array): Address | null;
  drawSalt(count: number): Uint8Array;
  /** Whether there is a channel with the address: partners are never pushed out by strangers. */
  isPartner(address: Address): boolean;
  now(): number;
  /** The key of this address has just become known. */
  onMet?(address: Address): void;
  limits?: Partial<Limits>;
};
type Limits = PeerLimits & {
  /** First words of strangers whose keys nobody has told: each costs curve arithmetic. */
  firstWords: Rate;
  /** Salts that have not been seen, under one name that is known: anybody can write a name into a header. */
  newSalts: Rate;
  /** Payloads under a name and a salt that are known, and not from there. */
  forged: Rate;
  /** Payloads under one salt: far below what the cipher bears. */
  payloads: number;
};

type Rate = { most: number; perSecond: number };

type Outgoing = { salt: Uint8Array; keys: SealKeys; counter: number };
type Incoming = { salt: Uint8Array; keys: SealKeys; window: ReplayWindow };
/** `shared`: what our keys have in common, from the first payload on, in either direction. */
type Peer = {
  address: Address;
  publicKey: Uint8Array;
  shared: Uint8Array | null;
  outgoing: Outgoing | null;
  incoming: Incoming[];
  /** What was tried in its name. */
  doubts: { newSalts: TokenBucket; forged: TokenBucket };
};

const LIMITS: Limits = {
  partners: 10_000,
  strangers: 4_096,
  firstWords: { most: 1_000, perSecond: 250 },
  newSalts: { most: 200, perSecond: 100 },
  forged: { most: 20_000, perSecond: 10_000 },
  payloads: 2 ** 32,
};
/** The sender's life before this one may still be on its way; whoever draws salts at will gains nothing. */
const MOST_INCOMING = 3;

export function createSealing(options: Options) {
  const { own, isPartner, drawSalt, now, onMet = () => {} } = options;
  const limits = { ...LIMITS, ...options.limits };
  const publicKey = compressedKey(options.publicKey);
  const ownText = keyText(publicKey);
  const firstWords = createTokenBucket({ ...limits.firstWords, now });
  const peers = createPeers<Peer>({ limits, isPartner, onGone: forget });

  let hasEnded = false;

  const newPeer = (address: Address, key: Uint8Array): Peer => {
    const doubts = {
      newSalts: createTokenBucket({ ...limits.newSalts, now }),
      forged: createTokenBucket({ ...limits.forged, now }),
    };
    return { address, publicKey: key, shared: null, outgoing: null, incoming: [], doubts };
  };

  function meet(peer: Peer): void {
    if (peers.add(peer)) onMet(peer.address);
  }

  /** Null when the peer's key is no point of the curve: then nobody has it. */
  function derive(peer: Peer, salt: Uint8Array, info: Uint8Array): SealKeys | null {
    peer.shared ??= options.sharedSecret(peer.publicKey);
    return peer.shared && sealKeys(peer.shared, salt, info);
  }

  function startOutgoing(peer: Peer): Outgoing | null {
    const salt = drawSalt(SALT_BYTES);
    const keys = derive(peer, salt, sealInfo(options, own, peer.address));
    return keys && { salt, keys, counter: 0 };
  }

  /** The one who says that it has this key, kept only once it has shown so; or why it is not heard. */
  function stranger(key: Uint8Array): Peer | Refusal {
    if (!firstWords.take()) return refusal('too many strangers at once');
    // A copy: what is kept must not hold the whole payload in memory.
    const address = options.addressOf(key);
    return address === null ? refusal('not a public key') : newPeer(address, key.slice());
  }

  function open(payload: Uint8Array): Opened {
    if (hasEnded) return refusal('the node has stopped');
    const split = splitSealed(payload);
    if (!split.ok) return split;
    const { publicKey: key, salt, counter } = split.value;
    const text = keyText(key);
    if (text === ownText) return refusal('sealed by this node itself');
    const peer = peers.byKey(text) ?? stranger(key);
    if ('ok' in peer) return peer;
    const known = peer.incoming.find((session) => Buffer.compare(session.salt, salt) === 0);
    const tooMuch = doubtOf(peer, known, counter);
    if (tooMuch !== null) return refusal(tooMuch);
    const keys = known?.keys ?? derive(peer, salt, sealInfo(options, peer.address, own));
    const lines = keys && unseal(keys, split.value);
    if (keys === null || lines === null) {
      if (known !== undefined) peer.doubts.forged.take();
      else if (keys !== null) wipeKeys(keys);
      if (!peers.has(peer)) forget(peer);
      return refusal('the seal does not open');
    }
    const session = known ?? { salt: salt.slice(), keys, window: createReplayWindow() };
    session.window.note(counter);
    keep(peer, session);
    meet(peer);
    return { ok: true, sender: peer.address, text: lines };
  }

  /** The session in use is the last to be forgotten. */
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
    /** The payload for this recipient, or null while its key is not known. */
    seal(to: Address, text: Uint8Array): Uint8Array | null {
      const peer = peers.byAddress(to);
      if (peer === null || hasEnded) return null;
      if (peer.outgoing !== null && peer.outgoing.counter >= limits.payloads) endOutgoing(peer);
      peer.outgoing ??= startOutgoing(peer);
      if (peer.outgoing === null) return null;
      const { salt, keys } = peer.outgoing;
      peer.outgoing.counter += 1;
      return seal(keys, { publicKey, salt, counter: peer.outgoing.counter }, text);
    },
    open,
    /** From here on everything leaves under new salts, as after a start. */
    renew: () => peers.forEach(endOutgoing),
    /** Overwrites every key; nothing is sealed or opened afterwards. */
    end() {
      hasEnded = true;
      peers.clear();
    },
  };
}

/**
 * Why a payload is not worth its arithmetic, or null. What a stranger tries in somebody's name under new salts
 * must not keep that one's own session from being heard.
 */
function doubtOf({ doubts }: Peer, session: Incoming | undefined, counter: number): string | null {
  if (session === undefined) return doubts.newSalts.take() ? null : 'too many salts under one name';
  if (!session.window.isFresh(counter)) return 'a replay';
  return doubts.forged.isEmpty() ? 'too much that is forged under one name' : null;
}

function endOutgoing(peer: Peer): void {
  if (peer.outgoing !== null) wipeKeys(peer.outgoing.keys);
  peer.outgoing = null;
}

function forget(peer: Peer): void {
  endOutgoing(peer);
  for (const { keys } of peer.incoming) wipeKeys(keys);
  peer.incoming = [];
  peer.shared?.fill(0);
  peer.shared = null;
}
