/** The rules for all trusted nodes, also for those whose disk was put back: what they sign and send counts. */
import type { Address, Hash } from '../../../basics/hex.ts';
import type { Counts } from '../../invariants/counts.ts';
import { createClaims } from '../../invariants/locks/claims.ts';
import { createDisclosures } from '../../invariants/locks/disclosures.ts';
import { createEndings } from '../../invariants/locks/endings.ts';
import { createRegistrations } from '../../invariants/locks/registrations.ts';
import { createRequests } from '../../invariants/locks/requests.ts';
import { createTimeouts } from '../../invariants/locks/timeouts.ts';
import { createRepeatRule } from '../../invariants/messages/repeats.ts';
import { createSeals } from '../../invariants/messages/seals.ts';
import { createWitness } from '../../invariants/messages/witness.ts';
import { createLedger } from '../../invariants/money/ledger.ts';
import type { Oracle } from '../../invariants/oracle.ts';
import { HISTORIES } from '../../invariants/records/histories.ts';

export type TrustedRulesOptions = {
  counted: Counts['counted'];
  confirmations: bigint;
  head(): bigint;
  secretRegistry(): Address;
  secretBlock(secrethash: Hash): bigint | null;
  /** The settle timeout of a channel, by its actor's id; null: it is not open. */
  settleTimeoutOf(channel: string): bigint | null;
  /** The nodes at both ends of a channel, by its actor's id; null: not known. */
  endsOf(channel: string): readonly [number, number] | null;
  /** Whether its owner has not capped its fees. */
  paysForUse(index: number): boolean;
  nameOf(index: number): string;
  /** The index of the node with this name; -1: none. */
  indexNamed(name: string): number;
  /**
   * Whether rules apply to the node: not to a dishonest one, nor to one whose disk lost what it had promised to
   * keep.
   */
  isTrusted(index: number): boolean;
  /** Whether the node is trusted, and has everything that it ever wrote down. */
  isWhole(index: number): boolean;
  /** Whether somebody without the keys of either end can read the payload. */
  isOpenTo(to: Address, payload: Uint8Array): boolean;
  /** Whether something has kept the node from its work since this block. */
  isExcused(index: number, sinceBlock: bigint): boolean;
  revealTimeoutOf(index: number): bigint;
};

export function createTrustedRules(options: TrustedRulesOptions) {
  const { confirmations, head, secretBlock, settleTimeoutOf, indexNamed, isTrusted } = options;
  const { counted } = options;
  const ledger = createLedger({
    confirmations,
    head,
    secretBlock,
    paysForUse: (who) => options.paysForUse(indexNamed(who)),
    honestPartner(who, channel) {
      const own = indexNamed(who);
      const other = options.endsOf(channel)?.find((index) => index !== own);
      return other === undefined || !isTrusted(other) ? null : options.nameOf(other);
    },
  });
  const isExcused = (who: string, sinceBlock: bigint) =>
    options.isExcused(indexNamed(who), sinceBlock);
  const isOpen = (channel: string) => settleTimeoutOf(channel) !== null;
  const seenBlock = () => head() - confirmations;
  const isMoney = (channel: string) => options.endsOf(channel) !== null;
  const claims = createClaims({ ledger, head, secretBlock, isExcused, isMoney });
  const witness = createWitness({ ledger, onSecret: claims.knows });
  /**
   * A node with an old copy of its disk has locks that have ended since, and signs nothing: its locks wait for the
   * close.
   */
  const isWhole = (who: string) => options.isWhole(indexNamed(who));
  const endings = createEndings({
    ledger,
    confirmations,
    isOpen,
    isExcused: (who, since) => !isWhole(who) || isExcused(who, since),
  });
  const registrations = createRegistrations({
    ledger,
    head,
    confirmations,
    secretBlock,
    isOpen,
    isWhole,
    registry: options.secretRegistry,
    revealTimeoutOf: (who) => options.revealTimeoutOf(indexNamed(who)),
  });
  // The messages and records about a payment are checked before the ledger forgets its locks.
  const rules: readonly Oracle[] = [
    counted([31], createSeals(options.isOpenTo)),
    counted([10, 15, 19, 31], witness),
    counted([25], createTimeouts({ confirmations, settleTimeoutOf })),
    counted([31], HISTORIES),
    counted([8, 15, 29], createDisclosures({ ledger, seenBlock })),
    counted([21], createRequests({ ledger, confirmations, head, isWhole, isExcused })),
    counted([6, 7, 10, 12, 14, 16], ledger),
    counted([25], claims),
    counted([13], endings),
    counted([26], registrations),
    counted([32], createRepeatRule(head)),
  ];
  return { ledger, rules };
}
