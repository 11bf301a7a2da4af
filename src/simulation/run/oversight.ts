/** Holds what every honest machine does against the invariants, and counts what all of them do. */
import type { Address, Hash } from '../../protocol/hex.ts';
import type { SentMessage } from '../../protocol/messages.ts';
import type { Batch } from '../../store/batch.ts';
import type { Wiretap } from '../byzantine/wiretap.ts';
import type { Block } from '../chain/blocks.ts';
import type { Transaction } from '../chain/transaction.ts';
import { createClaims } from '../invariants/claims.ts';
import { createDisclosures } from '../invariants/disclosures.ts';
import { createEndings } from '../invariants/endings.ts';
import { checkHistory } from '../invariants/histories.ts';
import { createLedger } from '../invariants/ledger.ts';
import type { Oracle } from '../invariants/oracle.ts';
import { createOutboxes } from '../invariants/outboxes.ts';
import { createRegistrations } from '../invariants/registrations.ts';
import { createRequests } from '../invariants/requests.ts';
import { createSeals } from '../invariants/seals.ts';
import { createTimeouts } from '../invariants/timeouts.ts';
import { Violation } from '../invariants/violation.ts';
import { createWitness } from '../invariants/witness.ts';
import type { MachineWatcher } from '../node/machine.ts';
import type { Tally } from './tally.ts';

export type Oversight = ReturnType<typeof createOversight>;
type Options = {
  tally: Tally;
  /** Further rules. */
  oracles(): readonly Oracle[];
  confirmations: bigint;
  head(): bigint;
  secretRegistry(): Address;
  secretBlock(secrethash: Hash): bigint | null;
  /** Of a channel, by its actor's id; null: not known. */
  settleTimeoutOf(channel: string): bigint | null;
  /** The nodes at both ends of a channel, by its actor's id; null: not known. */
  endsOf(channel: string): readonly [number, number] | null;
  isOpen(channel: string): boolean;
  /** Whether its owner has not capped its fees. */
  paysForUse(index: number): boolean;
  nameOf(index: number): string;
  indexOf(address: Address): number | null;
  addressOf(index: number): Address;
  /** Whoever is not, or has lost what a disk had promised to keep, is not held against anything. */
  isTrusted(index: number): boolean;
  /** It is trusted, and has all that it ever wrote down. */
  isWhole(index: number): boolean;
  /** Reads what this machine says; null: nobody looks. */
  wiretapOf(index: number): Wiretap | null;
  /** Somebody who has no key of either end reads what is sent to this address. */
  isOpenTo(to: Address, payload: Uint8Array): boolean;
  /** Something has kept it from its work since this block. */
  isExcused(index: number, sinceBlock: bigint): boolean;
  /** A fault of its disk is why it cannot go on. */
  hasExcuse(index: number): boolean;
  revealTimeoutOf(index: number): bigint;
  onViolation(violation: Violation): void;
  /** The batch of a machine is on disk. */
  onCommit?: (index: number, batch: Batch) => void;
  /** A point in the code at which a fault may strike. */
  onPoint(index: number, point: string): void;
  onDeath(index: number): void;
  /** The node says that it cannot go on, and has a reason. */
  onGivingUp(index: number): void;
  /** Blocks that counted as confirmed were replaced under it. */
  onReplaced(index: number): void;
};

export function createOversight(options: Options) {
  const { tally, nameOf, indexOf, isTrusted, onViolation } = options;
  const byName = new Map<string, number>();
  const ledger = createLedger({
    confirmations: options.confirmations,
    head: options.head,
    secretBlock: options.secretBlock,
    paysForUse: (who) => options.paysForUse(byName.get(who) ?? -1),
    honestPartner(who, channel) {
      const ends = options.endsOf(channel);
      const own = byName.get(who);
      const other = ends?.find((index) => index !== own);
      return other === undefined || !isTrusted(other) ? null : nameOf(other);
    },
  });
  const isExcused = (who: string, sinceBlock: bigint) =>
    options.isExcused(byName.get(who) ?? -1, sinceBlock);
  const claims = createClaims({
    ...{ ledger, head: options.head, secretBlock: options.secretBlock, isExcused },
  });
  const endings = createEndings({
    ...{ ledger, head: options.head, confirmations: options.confirmations, isExcused },
    isOpen: options.isOpen,
  });
  const seenBlock = () => options.head() - options.confirmations;
  const disclosures = createDisclosures({ ledger, seenBlock });
  const requests = createRequests({
    ...{ ledger, head: options.head, confirmations: options.confirmations, isExcused },
  });
  const seals = createSeals(options.isOpenTo);
  const outboxes = createOutboxes(options.head);
  const witness = createWitness({
    ...{ ledger, seenBlock },
    onSecret: claims.knows,
  });
  const timeouts = createTimeouts(options);
  const registrations = createRegistrations({
    ...{ ledger, head: options.head, registry: options.secretRegistry },
    ...{ confirmations: options.confirmations, secretBlock: options.secretBlock },
    isOpen: options.isOpen,
    revealTimeoutOf: (who) => options.revealTimeoutOf(byName.get(who) ?? -1),
  });

  /** Somebody, honest or not, says this to a machine. */
  function hears(name: string, from: Address, messages: readonly SentMessage[]) {
    for (const line of messages) {
      witness.heard(name, line);
      disclosures.heard(name, from, line);
      for (const oracle of options.oracles()) oracle.hears?.(name, from, line.message);
    }
  }

  function says(name: string, to: Address, messages: readonly SentMessage[]) {
    witness.sends(name, to, messages);
    disclosures.sends(name, messages);
    requests.sends(name, messages);
    for (const oracle of options.oracles())
      for (const { message } of messages) oracle.says?.(name, to, message);
  }

  /** What is wrong ends the run, wherever it was found. Null: nothing is. */
  function violationIn(work: () => void): Violation | null {
    try {
      work();
      return null;
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      onViolation(error);
      return error;
    }
  }

  /** Whoever did it goes no further. */
  function judged(work: () => void) {
    const violation = violationIn(work);
    if (violation !== null) throw violation;
  }

  function commit(name: string, batch: Batch) {
    for (const payment of batch.payments) {
      checkHistory(name, payment);
      disclosures.records(name, payment);
    }
    for (const { id } of batch.actors) disclosures.changes(name, id);
    ledger.commit(name, batch);
    for (const proof of batch.proofs) endings.step(name, proof);
  }

  function watcherOf(index: number): MachineWatcher {
    const name = nameOf(index);
    byName.set(name, index);
    return {
      onCommit(batch) {
        options.onCommit?.(index, batch);
        tally.commit(index, batch);
        outboxes.commit(name, batch);
        if (!isTrusted(index)) return;
        judged(() => {
          timeouts.commit(name, batch.proofs);
          commit(name, batch);
          if (!options.isWhole(index)) return;
          for (const oracle of options.oracles()) oracle.commit?.(name, batch);
        });
      },
      onPoint(point) {
        tally.point(point);
        options.onPoint(index, point);
      },
      onDeath() {
        tally.of(index).kills += 1;
        options.onDeath(index);
      },
      onFatal(reason, error, kind) {
        if (error instanceof Violation || options.hasExcuse(index))
          return options.onGivingUp(index);
        if (kind === 'replaced') {
          for (const oracle of options.oracles()) oracle.replaced?.(name);
          return options.onReplaced(index);
        }
        const text = `${name} cannot go on: ${reason}: ${String(error)}`;
        if (isTrusted(index) && kind === 'internal') onViolation(new Violation(30, name, text));
        else options.onGivingUp(index);
      },
    };
  }

  return {
    ledger,
    watcherOf,
    /** A payload leaves a machine. */
    sent(from: number, to: Address, payload: Uint8Array) {
      const wiretap = options.wiretapOf(from);
      const recipient = indexOf(to);
      if (recipient !== null) tally.message(from, recipient);
      if (wiretap === null) return;
      const messages = wiretap.sent(to, payload);
      if (recipient !== null) hears(nameOf(recipient), options.addressOf(from), messages);
      // It has been said, and whoever said it may expect no error from a wire.
      if (isTrusted(from))
        violationIn(() => {
          seals.sends(nameOf(from), to, payload);
          says(nameOf(from), to, messages);
        });
    },
    /** A transaction comes to the chain. */
    submitted({ from, to, data, nonce }: Transaction) {
      const index = indexOf(from);
      if (index === null || !isTrusted(index)) return;
      judged(() => registrations.submitted({ from: nameOf(index), to, data, nonce }));
    },
    /** Blocks have come. */
    block(blocks: readonly Block[]) {
      violationIn(() => {
        claims.block();
        endings.block();
        for (const block of blocks) for (const oracle of options.oracles()) oracle.block?.(block);
      });
    },
    /** Everything had the time to end. */
    end() {
      violationIn(() => {
        for (const oracle of options.oracles()) oracle.end?.();
      });
    },
    /** What machines have said in vain since before this block. */
    unheard: outboxes.since,
    messagesByType: witness.counts,
    /** How often each invariant was held against something. */
    checks: ledger.checks,
  };
}
