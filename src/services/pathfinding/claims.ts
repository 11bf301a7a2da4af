/**
 * Redeems IOUs with the OneToN contract: about a week before they expire, or as soon as their sender's deposit no
 * longer covers them. Only the contract knows whether an IOU was paid.
 */
import { encodeFunctionData, parseAbi } from 'viem';
import type { Address } from '../../basics/hex.ts';
import { userDepositAbi } from '../../chain/abi.ts';
import type { ChainClient } from '../../chain/client.ts';
import { iouSessionKey } from '../../protocol/services/iou.ts';
import type { ServiceJob, ServiceTransactions } from '../base/transactions.ts';
import { iouClaimBlock } from './iou-checks.ts';
import type { IouRows, SessionRow } from './iou-rows.ts';

const oneToNAbi = parseAbi([
  'function claim(address sender, address receiver, uint256 amount, uint256 expirationBlock, bytes signature) returns (uint256)',
  'function settled_sessions(bytes32 session) view returns (uint256)',
]);

export type ClaimParts = {
  client: ChainClient;
  rows: IouRows;
  /** Runs `work` as one durable transaction, at once. */
  write: (work: () => void) => void;
  transactions: Pick<ServiceTransactions, 'add' | 'submitNew' | 'isOpen'>;
  receiver: Address;
  oneToN: Address;
  userDeposit: Address;
  /** Whether the contract pays the service. */
  isRegistered: () => boolean;
  /** Whether it will soon not do so any more: then all that is owed is redeemed. */
  isEnding: () => boolean;
  /** Sessions that owe less are left to expire; in the service token's smallest unit. */
  leastClaim: bigint;
};

export function createIouClaims(parts: ClaimParts) {
  const { client, rows, write, transactions, receiver, oneToN, userDeposit } = parts;

  let owed = 0;
  const isOwed = ({ state, amount }: SessionRow) =>
    state !== 'claimed' && amount >= parts.leastClaim;

  /** Records the result of a claim whose job is over. */
  async function conclude(session: SessionRow): Promise<void> {
    const settled = await client.readContract({
      address: oneToN,
      abi: oneToNAbi,
      functionName: 'settled_sessions',
      args: [iouSessionKey({ ...session, receiver })],
    });
    // Nothing was paid if the deposit was empty: then the next look tries again.
    write(() => rows.setState(session, settled === 0n ? 'open' : 'claimed'));
  }

  async function isDue(session: SessionRow, nowBlock: bigint): Promise<boolean> {
    if (session.amount < parts.leastClaim) return false;
    const at = { address: userDeposit, abi: userDepositAbi, args: [session.sender] } as const;
    const balance = await client.readContract({ ...at, functionName: 'balances' });
    if (balance === 0n) return false;
    if (parts.isEnding() || nowBlock >= iouClaimBlock(session)) return true;
    const effective = await client.readContract({ ...at, functionName: 'effectiveBalance' });
    return effective < session.amount;
  }

  /** Begins the claim with the current IOU: a higher one may have arrived while the chain was asked. */
  function begin(name: SessionRow): void {
    const session = rows.of(name.sender).find((row) => keyOf(row) === keyOf(name));
    if (session === undefined) return;
    write(() => {
      rows.setState(session, 'claiming');
      transactions.add(jobOf(session, { receiver, oneToN }));
    });
    transactions.submitNew();
  }

  return {
    /** Looks at all sessions. Throws viem's error when the chain cannot be asked; then it has to be called again. */
    async look(nowBlock: bigint): Promise<void> {
      write(() => rows.removeExpired(nowBlock));
      const sessions = rows.all();
      owed = sessions.filter(isOwed).length;
      for (const session of sessions) {
        if (session.state === 'claiming' && !transactions.isOpen(keyOf(session)))
          await conclude(session);
        else if (session.state === 'open' && parts.isRegistered())
          if (await isDue(session, nowBlock)) begin(session);
      }
    },
    /** How many sessions were worth a claim at the last look. */
    owed: (): number => owed,
  };
}

function keyOf({ sender, claimableUntil }: SessionRow): string {
  return `claim:${sender}:${claimableUntil}`;
}

function jobOf(
  session: SessionRow,
  { receiver, oneToN }: Pick<ClaimParts, 'receiver' | 'oneToN'>,
): ServiceJob {
  const { sender, amount, claimableUntil, signature } = session;
  const data = encodeFunctionData({
    abi: oneToNAbi,
    functionName: 'claim',
    args: [sender, receiver, amount, claimableUntil, signature],
  });
  return {
    key: keyOf(session),
    calls: [{ kind: 'claimIou', to: oneToN, data }],
    deadlineBlock: claimableUntil,
  };
}
