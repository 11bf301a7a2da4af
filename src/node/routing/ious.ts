/**
 * IOUs: what this node promises to pay a path-finding service for its answers. Protocol 3.5, 3.7 and 7.1.
 *
 * A session is (receiver, sender, last block): it is claimed once, with the highest amount that was signed. So requests
 * are paid for one after the other, each IOU includes all earlier ones of its session, and it is on disk before the
 * service gets it: after a process died in between, the next IOU has the same total or more.
 */
import * as v from 'valibot';
import { type Address, fromHex, isHexOf, type Signature } from '../../basics/hex.ts';
import { type Iou, iouDigest, iouQueryDigest } from '../../protocol/services/iou.ts';
import type { IouSession } from '../../store/tables/iou-sessions.ts';
import { addressField, integerField, type ServiceAnswer } from './service-call.ts';

/** Blocks for which a new session can be claimed; services ask for a week at least. */
const SESSION_TIMEOUT = 200_000n;

export type SignedIou = Iou & { signature: Signature };
export type Ious = ReturnType<typeof createIous>;
/** The address to pay, and the newest confirmed block. */
type Payee = { receiver: Address; nowBlock: bigint };
type Options = {
  own: Address;
  chainId: bigint;
  oneToN: Address;
  sign(digest: Uint8Array): Signature;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  rows: {
    get(of: { receiver: Address; oneToN: Address }): IouSession | null;
    set(session: IouSession): void;
  };
  /** Milliseconds since 1970. */
  now(): number;
};

export function createIous(options: Options) {
  const { own, chainId, oneToN, sign, rows } = options;

  function signed({ receiver, amount, claimableUntil }: IouSession): SignedIou {
    const iou = { oneToN, chainId, sender: own, receiver, amount, claimableUntil };
    return { ...iou, signature: sign(iouDigest(iou)) };
  }

  /** Writes the session to disk first: an IOU that was sent and forgotten could be followed by a lower one. */
  function promise(session: IouSession): SignedIou {
    rows.set(session);
    return signed(session);
  }

  const newSession = ({ receiver, nowBlock }: Payee, before: IouSession | null): IouSession => {
    const next = nowBlock + SESSION_TIMEOUT;
    // Of two sessions with the same last block only one can ever be claimed, so a new session gets a later one.
    const claimableUntil =
      before !== null && before.claimableUntil >= next ? before.claimableUntil + 1n : next;
    return { receiver, oneToN, amount: 0n, claimableUntil };
  };

  return {
    /**
     * Whether no session with this receiver is stored: then the service may remember one that this database does not.
     */
    isNew: (receiver: Address): boolean => rows.get({ receiver, oneToN }) === null,

    /**
     * The IOU for one more request. `refused`: the part of the last IOU that did not count, because the service wanted
     * more for that request.
     */
    next(payee: Payee, price: bigint, refused = 0n): SignedIou {
      const { receiver, nowBlock } = payee;
      const known = rows.get({ receiver, oneToN });
      const isOpen = known !== null && known.claimableUntil > nowBlock;
      const session = isOpen ? known : newSession(payee, known);
      const added = price > refused ? price - refused : 0n;
      return promise({ ...session, amount: session.amount + added });
    },

    /**
     * Called when the service has claimed the session, or finds its last block too early: the next IOU begins a new
     * session.
     */
    renew(payee: Payee): void {
      rows.set(newSession(payee, rows.get({ receiver: payee.receiver, oneToN })));
    },

    /** The query that asks the service for this node's last IOU. */
    query(receiver: Address): string {
      const timestamp = new Date(options.now()).toISOString().replace('Z', '');
      const signature = sign(iouQueryDigest(own, receiver, timestamp));
      return new URLSearchParams({ sender: own, receiver, timestamp, signature }).toString();
    },

    /**
     * Takes over the last IOU that the service shows, if this node signed it, perhaps with another database. The amount
     * of a session never decreases by it.
     */
    adopt(receiver: Address, answer: ServiceAnswer): void {
      const parsed = v.safeParse(lastIou, answer?.body);
      const last = parsed.success ? parsed.output : null;
      if (last === null || !isOurs(last, receiver)) return;
      const { amount, claimableUntil } = last;
      const known = rows.get({ receiver, oneToN });
      if (known?.claimableUntil === claimableUntil && known.amount >= amount) return;
      rows.set({ receiver, oneToN, amount, claimableUntil });
    },
  };

  function isOurs({ signature, ...iou }: SignedIou, receiver: Address): boolean {
    const isSame = iou.receiver === receiver && iou.sender === own && iou.oneToN === oneToN;
    if (!isSame || iou.chainId !== chainId) return false;
    return options.recover(iouDigest(iou), fromHex(signature)) === own;
  }
}

/** The IOU as the service reads it in JSON. */
export function iouJson({ oneToN, chainId, claimableUntil, ...iou }: SignedIou) {
  const { sender, receiver, amount, signature } = iou;
  const contract = { one_to_n_address: oneToN, chain_id: chainId };
  return { sender, receiver, amount, expiration_block: claimableUntil, ...contract, signature };
}

const lastIou = v.pipe(
  v.object({
    last_iou: v.object({
      sender: addressField,
      receiver: addressField,
      amount: integerField,
      expiration_block: v.pipe(integerField, v.maxValue(BigInt(Number.MAX_SAFE_INTEGER))),
      one_to_n_address: addressField,
      chain_id: integerField,
      signature: v.custom<Signature>((value) => isHexOf(value, 65)),
    }),
  }),
  v.transform(({ last_iou: iou }): SignedIou => {
    const { sender, receiver, amount, signature } = iou;
    const chainId = iou.chain_id;
    const claimableUntil = iou.expiration_block;
    return {
      sender,
      receiver,
      amount,
      chainId,
      claimableUntil,
      oneToN: iou.one_to_n_address,
      signature,
    };
  }),
);
