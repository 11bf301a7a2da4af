/** Holds what every honest machine does against the invariants, and counts what all of them do. */
import type { Address } from '../../protocol/hex.ts';
import type { Message } from '../../protocol/messages/table.ts';
import type { Batch } from '../../store/batch.ts';
import type { Wiretap } from '../byzantine/wiretap.ts';
import type { Block } from '../chain/blocks.ts';
import type { Transaction } from '../chain/transaction.ts';
import { createCounts } from '../invariants/counts.ts';
import type { Oracle } from '../invariants/oracle.ts';
import { createOutboxes } from '../invariants/outboxes.ts';
import { Violation } from '../invariants/violation.ts';
import type { MachineWatcher } from '../node/machine.ts';
import { createEfforts } from './efforts.ts';
import type { Tally } from './tally.ts';
import { createTrustedRules, type TrustedRulesOptions } from './trusted-rules.ts';

export type Oversight = ReturnType<typeof createOversight>;
type Options = Omit<TrustedRulesOptions, 'indexNamed' | 'counted'> & {
  tally: Tally;
  indexOf(address: Address): number | null;
  addressOf(index: number): Address;
  /** Reads what this machine says; null: nobody looks. */
  wiretapOf(index: number): Wiretap | null;
  /** A fault of its disk is why it cannot go on. */
  hasExcuse(index: number): boolean;
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
  const indexNamed = (name: string) => byName.get(name) ?? -1;
  const { counted, looks } = createCounts();
  const trusted = createTrustedRules({ ...options, indexNamed, counted });
  const outboxes = createOutboxes(options.head);
  const efforts = createEfforts();
  /** For what the machines write that have all that they ever wrote down. */
  let whole: readonly Oracle[] = [];
  let all: readonly Oracle[] = trusted.rules;

  /** Somebody, honest or not, says this to a machine. */
  function hears(name: string, from: Address, messages: readonly Message[]) {
    for (const message of messages) for (const rule of all) rule.hears?.(name, from, message);
  }

  function says(name: string, to: Address, payload: Uint8Array, messages: readonly Message[]) {
    for (const rule of all) {
      rule.sends?.(name, to, payload, messages);
      for (const message of messages) rule.says?.(name, to, message);
    }
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
          for (const rule of trusted.rules) rule.commit?.(name, batch);
          if (!options.isWhole(index)) return;
          for (const rule of whole) rule.commit?.(name, batch);
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
          for (const rule of all) rule.replaced?.(name);
          return options.onReplaced(index);
        }
        const text = `${name} cannot go on: ${reason}: ${String(error)}`;
        if (isTrusted(index) && kind === 'internal') onViolation(new Violation(30, name, text));
        else options.onGivingUp(index);
      },
    };
  }

  return {
    ledger: trusted.ledger,
    watcherOf,
    /** Further rules, for machines that have all that they ever wrote down. */
    hold(rules: readonly Oracle[]) {
      whole = rules;
      all = [...trusted.rules, ...rules];
    },
    /** A payload leaves a machine. */
    sent(from: number, to: Address, payload: Uint8Array) {
      const wiretap = options.wiretapOf(from);
      const recipient = indexOf(to);
      if (recipient !== null) tally.message(from, recipient);
      if (wiretap === null) return;
      const messages = wiretap.sent(to, payload).map(({ message }) => message);
      for (const message of messages) efforts.said(message);
      if (recipient !== null) hears(nameOf(recipient), options.addressOf(from), messages);
      // It has been said, and whoever said it may expect no error from a wire.
      if (isTrusted(from)) violationIn(() => says(nameOf(from), to, payload, messages));
    },
    /** A transaction comes to the chain. */
    submitted(transaction: Transaction) {
      const index = indexOf(transaction.from);
      if (index === null || !isTrusted(index)) return;
      judged(() => {
        for (const rule of all) rule.submitted?.(nameOf(index), transaction);
      });
    },
    /** Blocks have come. */
    block(blocks: readonly Block[]) {
      violationIn(() => {
        for (const block of blocks) for (const rule of all) rule.block?.(block);
      });
    },
    /** Everything had the time to end. */
    end() {
      violationIn(() => {
        for (const rule of all) rule.end?.();
      });
    },
    /** What machines have said in vain since before this block. */
    unheard: outboxes.since,
    messagesByType: trusted.messagesByType,
    /** How many payments took so many messages. */
    efforts: efforts.histogram,
    /** For further rules. */
    counted,
    /** How often the rules for each invariant have looked at something. */
    looks,
  };
}
