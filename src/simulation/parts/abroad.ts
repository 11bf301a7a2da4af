/**
 * What the nodes of one part say to those of others, and to the chain, of which each part has a copy: it leaves at the next
 * meeting of the parts, and comes at the time at which it is due.
 */
import type { Address, Hex } from '../../basics/hex.ts';
import type { Topic } from '../../partner/transport.ts';
import type { Parcel } from '../network/parcel.ts';

/** `to` null: a broadcast. `atMs`: when it arrives. `length`: bytes of its payload, which lie one after the other. */
type Sent = {
  from: Address;
  to: Address | null;
  topic: Topic | null;
  atMs: number;
  length: number;
};
/** From then on the node with this address can be asked for its key. */
type Listening = { address: Address; publicKey: Uint8Array; atMs: number };
/** A signed transaction reaches the copies of the chain. */
type Submitted = { raw: Hex; atMs: number };
export type Letter = {
  sent: Sent[];
  payloads: Uint8Array<ArrayBuffer>;
  listening: Listening[];
  submitted: Submitted[];
};
export type Abroad = ReturnType<typeof createAbroad>;

type Options = {
  /** Milliseconds that everything takes at least. */
  windowMs: number;
  now(): number;
  isAbroad(address: Address): boolean;
};

/** Transactions come between whole milliseconds, so that none comes at the very time of a block. */
const BETWEEN_MS = 0.5;

export function createAbroad({ windowMs, now, isAbroad }: Options) {
  const keys = new Map<Address, Uint8Array>();
  let sent: Sent[] = [];
  let payloads: Uint8Array[] = [];
  let listening: Listening[] = [];
  let submitted: Submitted[] = [];

  function post({ from, topic, payload }: Parcel, to: Address | null, atMs: number) {
    const due = Math.max(atMs, now() + windowMs);
    sent.push({ from, to, topic, atMs: due, length: payload.length });
    payloads.push(payload);
  }

  return {
    isAbroad,
    /** Sends a payload to a node of another part, or, of a topic, to whoever listens there. */
    send: (parcel: Parcel, atMs: number) =>
      post(parcel, parcel.topic === null ? parcel.to : null, atMs),
    /** A node of this part listens from now on. */
    listens: (address: Address, publicKey: Uint8Array) =>
      void listening.push({
        address,
        publicKey: Uint8Array.from(publicKey),
        atMs: now() + windowMs,
      }),
    submit: (raw: Hex) => void submitted.push({ raw, atMs: now() + windowMs + BETWEEN_MS }),
    /** The key of a node of another part; null: it is not known to listen. */
    keyOf: (address: Address) => keys.get(address) ?? null,
    learn: ({ address, publicKey }: Listening) => void keys.set(address, publicKey),
    /** All that has to leave, which is then forgotten. */
    take(): Letter {
      const whole = new Uint8Array(payloads.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const payload of payloads) {
        whole.set(payload, at);
        at += payload.length;
      }
      const letter = { sent, payloads: whole, listening, submitted };
      [sent, payloads, listening, submitted] = [[], [], [], []];
      return letter;
    },
  };
}

/** The earliest time at which something of the letter is due; infinite: nothing is. */
export function earliest({ sent, listening, submitted }: Letter): number {
  const least = (all: readonly { atMs: number }[]) =>
    all.reduce((first, { atMs }) => Math.min(first, atMs), Number.POSITIVE_INFINITY);
  return Math.min(least(sent), least(listening), least(submitted));
}

/** The payloads of a letter, each with where it goes. */
export function* parcelsIn({ sent, payloads }: Letter) {
  let start = 0;
  for (const { length, ...one } of sent) {
    yield { ...one, payload: payloads.subarray(start, start + length) };
    start += length;
  }
}
