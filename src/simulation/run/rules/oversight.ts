/** Checks everything that honest nodes do against the invariants, and counts what all nodes do. */

import type { Address } from '../../../basics/hex.ts';
import type { Message } from '../../../protocol/messages/table.ts';
import type { Batch } from '../../../store/base/batch.ts';
import type { Wiretap } from '../../byzantine/wiretap.ts';
import type { Block } from '../../chain/blocks.ts';
import type { Transaction } from '../../chain/transaction.ts';
import { createCounts } from '../../invariants/counts.ts';
import { createOutboxes } from '../../invariants/messages/outboxes.ts';
import type { Oracle } from '../../invariants/oracle.ts';
import { Violation } from '../../invariants/violation.ts';
import type { MachineWatcher } from '../../node/machine-options.ts';
import type { Trust } from '../faults/trust.ts';
import { createEfforts } from '../figures/efforts.ts';
import type { Tally } from '../figures/tally.ts';

export type Oversight = ReturnType<typeof createOversight>;
/** A payload as it was sent. `count`: how many messages it holds, of which only some are read. */
type Letter = { from: Address; to: Address; messages: readonly Message[]; count: number };
type Options = {
  tally: Tally;
  trust: Trust;
  /** The chain's newest block. */
  head(): bigint;
  nameOf(index: number): string;
  indexOf(address: Address): number | null;
  addressOf(index: number): Address;
  /** Whether anything that the node says or hears is looked at: of the others messages are only counted. */
  isChecked(index: number): boolean;
  isEachChecked: boolean;
  /** Reads the messages of this node; null: they are not read. */
  wiretapOf(index: number): Wiretap | null;
  /** Whether a fault of its disk is the reason why the node cannot go on. */
  hasExcuse(index: number): boolean;
  onViolation(violation: Violation): void;
  /** The batch of a node is on disk. */
  onCommit?: (index: number, batch: Batch) => void;
  /** A node passes a point in the code at which a fault may strike. */
  onPoint(index: number, point: string): void;
  onDeath(index: number): void;
  /** The node reports that it cannot go on, for a good reason. */
  onGivingUp(index: number): void;
  /** The node reports that confirmed blocks were replaced. */
  onReplaced(index: number): void;
};

export function createOversight(options: Options) {
  const { tally, nameOf, indexOf, isChecked, onViolation } = options;
  const { isTrusted, isWhole } = options.trust;
  const { counted, looks } = createCounts();
  const outboxes = createOutboxes(options.head);
  const efforts = createEfforts();
  /** What each payload holds that may still be on its way. */
  const letters = new WeakMap<Uint8Array, Letter>();
  /** Rules for all trusted nodes, and for those that have everything that they ever wrote down. */
  let trusted: readonly Oracle[] = [];
  let whole: readonly Oracle[] = [];
  let all: readonly Oracle[] = [];

  function says(name: string, to: Address, payload: Uint8Array, messages: readonly Message[]) {
    for (const rule of all) {
      rule.sends?.(name, to, payload, messages);
      for (const message of messages) rule.says?.(name, to, message);
    }
  }

  /** Runs a check. A violation is reported, which ends the run, and is returned; null: none. */
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

  /** Runs a check and throws its violation, so that the node's code does not go on. */
  function judged(work: () => void) {
    const violation = violationIn(work);
    if (violation !== null) throw violation;
  }

  function watcherOf(index: number): MachineWatcher {
    const name = nameOf(index);
    const written: MachineWatcher['onWritten'] = (unsaid, rows) =>
      judged(() => {
        if (isTrusted(index)) for (const rule of all) rule.written?.(name, unsaid, rows);
      });
    return {
      onCommit(batch) {
        options.onCommit?.(index, batch);
        tally.commit(index, batch);
        if (isChecked(index)) outboxes.commit(name, batch);
        if (!isTrusted(index)) return;
        judged(() => {
          for (const rule of trusted) rule.commit?.(name, batch);
          if (!isWhole(index)) return;
          for (const rule of whole) rule.commit?.(name, batch);
        });
      },
      ...(isChecked(index) ? { onWritten: written } : {}),
      onPoint(point) {
        tally.point(point);
        options.onPoint(index, point);
      },
      onBound: (bound) => (isTrusted(index) ? tally.bound(bound) : undefined),
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
      onViolation: (violation) => (isTrusted(index) ? onViolation(violation) : undefined),
    };
  }

  return {
    watcherOf,
    /** The rules for all trusted nodes, and further ones for those that have everything that they ever wrote down. */
    hold(ofTrusted: readonly Oracle[], ofWhole: readonly Oracle[]) {
      [trusted, whole, all] = [ofTrusted, ofWhole, [...ofTrusted, ...ofWhole]];
    },
    /** A node sends a payload. */
    sent(from: number, to: Address, payload: Uint8Array) {
      const wiretap = options.wiretapOf(from);
      const recipient = indexOf(to);
      if (wiretap === null) return;
      const isRead = isChecked(from) || (recipient !== null && isChecked(recipient));
      const { messages, types } = lettersIn(wiretap, to, payload, isRead);
      if (recipient !== null) tally.sent(from, types);
      const letter = { from: options.addressOf(from), to, messages, count: types.length };
      letters.set(payload, letter);
      if (!isRead) return;
      if (options.isEachChecked) for (const message of messages) efforts.said(message);
      if (recipient !== null) hear(all, nameOf(recipient), letter);
      // The payload has been sent already, and its sender may expect no error from the network.
      if (isTrusted(from)) violationIn(() => says(nameOf(from), to, payload, messages));
    },
    /** A node of another part has sent a payload to one of this part. */
    coming(from: Address, to: Address, payload: Uint8Array) {
      const [recipient, wiretap] = [indexOf(to), options.wiretapOf(indexOf(from) ?? -1)];
      if (wiretap === null || recipient === null) return;
      const { messages, types } = lettersIn(wiretap, to, payload, isChecked(recipient));
      letters.set(payload, { from, to, messages, count: types.length });
      hear(all, nameOf(recipient), { from, messages });
    },
    /** A payload of another node reaches a node; one that was changed on its way holds nothing that can be read. */
    delivered(to: Address, payload: Uint8Array) {
      const recipient = indexOf(to);
      const letter = letters.get(payload);
      if (recipient === null || letter === undefined) return;
      tally.heard(recipient, letter.count);
      // What a hostile broker brings to another node says nothing to it.
      if (letter.to === to) arrive(all, nameOf(recipient), letter);
    },
    /** A transaction arrives at the chain. */
    submitted(transaction: Transaction) {
      const index = indexOf(transaction.from);
      if (index === null || !isTrusted(index)) return;
      judged(() => {
        for (const rule of all) rule.submitted?.(nameOf(index), transaction);
      });
    },
    /** New blocks were mined. */
    block: (blocks: readonly Block[]) =>
      void violationIn(() => {
        for (const block of blocks) for (const rule of all) rule.block?.(block);
      }),
    /** Runs a check, and reports what it throws. */
    judge: (work: () => void) => void violationIn(work),
    /** Called at the end, after everything had time to finish. */
    end: () =>
      void violationIn(() => {
        for (const rule of all) rule.end?.();
      }),
    /** The messages of nodes that have been waiting since before this block. */
    unheard: outboxes.since,
    /** How many payments took how many messages. */
    efforts: efforts.histogram,
    /** Counts the checks of further rules. */
    counted,
    /** How often the rules for each invariant have checked something. */
    looks,
  };
}

type Told = Pick<Letter, 'from' | 'messages'>;

/** A node is sent messages by another one, honest or not. */
function hear(rules: readonly Oracle[], who: string, { from, messages }: Told): void {
  for (const message of messages) for (const rule of rules) rule.hears?.(who, from, message);
}

function arrive(rules: readonly Oracle[], who: string, { from, messages }: Told): void {
  for (const message of messages) for (const rule of rules) rule.arrives?.(who, from, message);
}

/** What a node has sent; `isRead` false: only of which types it is. */
function lettersIn(wiretap: Wiretap, to: Address, payload: Uint8Array, isRead: boolean) {
  if (!isRead) return { messages: [], types: wiretap.typesSent(to, payload) };
  const messages = wiretap.sent(to, payload).map(({ message }) => message);
  return { messages, types: messages.map(({ type }) => type) };
}
