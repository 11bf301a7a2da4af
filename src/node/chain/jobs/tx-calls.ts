/** The contract calls that carry out each `tx.*` effect, with what has to be looked up and signed for them. */
import type { Tx } from '../../../../machines/effects.ts';
import {
  type Address,
  type Hash,
  type Hex,
  type Signature,
  ZERO_HASH,
} from '../../../basics/hex.ts';
import type { Depositor } from '../../../chain/queue/approvals.ts';
import * as calls from '../../../chain/queue/calls.ts';
import type { ChainCall } from '../../../chain/queue/jobs.ts';
import {
  type Balances,
  closingDigest,
  EMPTY_SIGNATURE,
  updateDigest,
} from '../../../protocol/channel/balance-proof.ts';
import { NO_LOCKS_ROOT } from '../../../protocol/channel/lock.ts';
import { withdrawDigest } from '../../../protocol/channel/withdraw.ts';

type Side = 'own' | 'partner';

export type TxCallOptions = {
  own: Address;
  chainId: bigint;
  registry: Address;
  secretRegistry: Address;
  /** Limits of the token networks that this node registers; in the token's units. */
  depositLimits: { participantLimit: bigint; networkLimit: bigint };
  sign(digest: Uint8Array): Signature;
  findProof(channel: string, side: Side, balanceHash: Hash): (Balances & { nonce: bigint }) | null;
  locksAt(channel: string, side: Side, nonce: bigint): readonly Hex[];
};

const NO_BALANCES: Balances = {
  transferredAmount: 0n,
  lockedAmount: 0n,
  locksroot: NO_LOCKS_ROOT,
};

export function createTxCalls(options: TxCallOptions, depositor: Depositor) {
  const { own, chainId, registry, secretRegistry, depositLimits, sign, findProof, locksAt } =
    options;

  /** Null when the proof behind the hash is not in the database: it is an old copy. */
  function balancesOf(tx: Extract<Tx, { type: 'tx.settle' }>, side: Side): Balances | null {
    const hash = side === 'own' ? tx.ownHash : tx.partnerHash;
    return hash === null ? NO_BALANCES : findProof(tx.channel, side, hash);
  }

  function locksOf(tx: Extract<Tx, { type: 'tx.unlock' }>): Hex | null {
    const proof = findProof(tx.channel, tx.side, tx.balanceHash);
    if (proof === null) return null;
    const locks = locksAt(tx.channel, tx.side, proof.nonce);
    return `0x${locks.map((lock) => lock.slice(2)).join('')}`;
  }

  function proofOf(tx: Extract<Tx, { type: 'tx.close' | 'tx.updateProof' }>) {
    const { balanceHash, nonce, additionalHash } = tx.proof ?? {
      balanceHash: ZERO_HASH,
      nonce: 0n,
      additionalHash: ZERO_HASH,
    };
    const { tokenNetwork, channelId } = tx;
    return { chainId, tokenNetwork, channelId, balanceHash, nonce, additionalHash };
  }

  /** Null when the database does not know a balance proof that the contract demands. */
  return function callsFor(tx: Tx): ChainCall[] | null {
    switch (tx.type) {
      case 'tx.registerToken':
        return calls.registerTokenCalls(tx, {
          registry: registry,
          ...depositLimits,
        });
      case 'tx.openChannel':
        return calls.openChannelCalls(tx, depositor);
      case 'tx.deposit':
        return calls.depositCalls(tx, depositor);
      case 'tx.withdraw': {
        const digest = withdrawDigest({ ...tx, chainId, participant: own });
        return calls.withdrawCalls(tx, { own, ownSignature: sign(digest) });
      }
      case 'tx.close': {
        const digest = closingDigest(proofOf(tx), tx.proof?.signature ?? EMPTY_SIGNATURE);
        return calls.closeCalls(tx, { own, closingSignature: sign(digest) });
      }
      case 'tx.updateProof': {
        const digest = updateDigest(proofOf(tx), tx.proof.signature);
        return calls.updateProofCalls(tx, { own, nonClosingSignature: sign(digest) });
      }
      case 'tx.settle': {
        const [ownBalances, partnerBalances] = [balancesOf(tx, 'own'), balancesOf(tx, 'partner')];
        if (ownBalances === null || partnerBalances === null) return null;
        return calls.settleCalls(tx, { own, ownBalances, partnerBalances });
      }
      case 'tx.unlock': {
        const locks = locksOf(tx);
        return locks === null ? null : calls.unlockCalls(tx, { own, locks });
      }
      case 'tx.registerSecret':
        return calls.registerSecretCalls(tx, { secretRegistry: secretRegistry });
      case 'tx.userDeposit':
        return calls.userDepositCalls(tx, depositor);
      case 'tx.userDepositPlan':
        return calls.userDepositPlanCalls(tx);
      case 'tx.userDepositWithdraw':
        return calls.userDepositWithdrawCalls(tx);
      case 'tx.mint':
        return calls.mintCalls(tx);
    }
  };
}
