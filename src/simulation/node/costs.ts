/**
 * What the work of a node takes in virtual time. Elsewhere in a simulation code takes none, so that a node could never be
 * found to be kept too busy to defend itself.
 */
import type { NodeParts } from '../../node/runtime/parts.ts';
import type { Transport } from '../../partner/transport.ts';
import type { Signer } from '../../signer/signer.ts';
import type { Batch } from '../../store/base/batch.ts';
import type { Store } from '../../store/store.ts';

/** Milliseconds on one core of an AMD EPYC with Node 20, when nothing else ran there. */
const COSTS = {
  // `npm run bench:crypto`: 24,800 signatures in a second, 15,800 recoveries.
  signature: 0.04,
  recovery: 0.063,
  /** The secret shared with a key, or the address of a key. */
  key: 0.06,
  // There, too: a payload is sealed and handed to the broker's client; each kB of it was hashed (0.004 for the digest of
  // what a line says), written and sealed.
  payloadSaid: 0.022,
  kilobyteSaid: 0.037,
  // A payload is opened; each kB of it is read.
  payloadHeard: 0.01,
  kilobyteHeard: 0.032,
  // `npm run bench:store`, commits that do not wait for the disk: of one row, and what each further row adds.
  commit: 0.06,
  row: 0.012,
  /** How much more a row with the state of an actor takes. */
  actorRow: 0.027,
  /** A step of an actor. */
  step: 0.06,
};

type Parts = Pick<NodeParts, 'signer' | 'recover' | 'addressOf' | 'store' | 'transport'>;

/** `parts`, whose use takes time. `take` is called with the milliseconds of each piece of work. */
export function charged<All extends Parts>(parts: All, take: (ms: number) => void): All {
  const { signer, recover, addressOf, store, transport } = parts;
  return {
    ...parts,
    signer: chargedSigner(signer, take),
    recover(digest, signature) {
      take(COSTS.recovery);
      return recover(digest, signature);
    },
    addressOf(publicKey) {
      take(COSTS.key);
      return addressOf(publicKey);
    },
    store: chargedStore(store, take),
    transport: chargedTransport(transport, take),
  };
}

function chargedSigner(signer: Signer, take: (ms: number) => void): Signer {
  return {
    ...signer,
    sign(digest) {
      take(COSTS.signature);
      return signer.sign(digest);
    },
    sharedSecret(publicKey) {
      take(COSTS.key);
      return signer.sharedSecret(publicKey);
    },
    signTransaction(transaction, options) {
      take(COSTS.signature);
      return signer.signTransaction(transaction, options);
    },
  };
}

function chargedStore(store: Store, take: (ms: number) => void): Store {
  return {
    ...store,
    commit(batch) {
      take(costOf(batch));
      store.commit(batch);
    },
  };
}

/** Of writing the batch, and of the steps that led to it. */
function costOf(batch: Batch): number {
  const rows = Object.values(batch).reduce<number>(
    (sum, held) => sum + (Array.isArray(held) ? held.length : 0),
    0,
  );
  const { actors, journal } = batch;
  const { commit, row, actorRow, step } = COSTS;
  return commit + row * rows + actorRow * actors.length + step * journal.length;
}

function chargedTransport(transport: Transport, take: (ms: number) => void): Transport {
  return {
    ...transport,
    publish(to, payload) {
      take(COSTS.payloadSaid + (COSTS.kilobyteSaid * payload.length) / 1_000);
      transport.publish(to, payload);
    },
    onMessage: (handler, publicKey) =>
      transport.onMessage((payload) => {
        take(COSTS.payloadHeard + (COSTS.kilobyteHeard * payload.length) / 1_000);
        handler(payload);
      }, publicKey),
  };
}
