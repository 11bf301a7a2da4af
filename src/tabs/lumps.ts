/** Further payments for a tab: each is redeemed once, and counts from then on. */
import { type Lump, type SignedTicket, tabPaymentId } from '../x402/ticket.ts';
import type { Tab } from './tab.ts';

/** A tab while its seller runs. */
export type Live = {
  tab: Tab;
  /** What is set aside for its calls under way, and how many they are. */
  aside: bigint;
  calls: number;
  /** The payment that is being redeemed, and when the node may be asked for one. */
  lump: Promise<void> | null;
  lumpFrom: number;
  /** Milliseconds from the last question that brought nothing to the next one. */
  lumpPauseMs: number;
  /** What has brought a payment that the node was asked for and does not know yet: it is asked again without a further call. */
  shown: SignedTicket | null;
  /** The further payments that are on the disk: of another one the buyer is not told that it need not show it again. */
  lumpsWritten: number;
  /** Its buyer has asked for the rest, and calls are under way. */
  isEnding: boolean;
};
export type LumpOptions = {
  /**
   * Has the seller's node redeem a payment with this identifier, once however often it is asked; what was received, or
   * null: it is not there.
   */
  redeem(lump: Lump, tab: Tab, identifier: bigint): Promise<bigint | null>;
  note(tab: Tab): void;
  /** Resolves when what was noted is on the disk. */
  written(): Promise<void>;
  /** Something that the end of the tab has waited for is over. */
  finish(one: Live): void;
  /** Milliseconds since 1970. */
  now(): number;
};

/**
 * After a payment that did not come, and twice as long after each further one: anybody with a tab can name payments that there
 * are not, and each question costs the node one of its keys.
 */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 600_000;

/** Answers the function that begins to redeem what a ticket brings, if that is new. */
export function createLumps({ redeem, note, written, finish, now }: LumpOptions) {
  return (one: Live, ticket: SignedTicket): void => {
    const { lump } = ticket;
    if (lump === null || one.lump !== null || one.isEnding || one.tab.ending !== null) return;
    if (lump.number !== one.tab.lumps + 1 || now() < one.lumpFrom) return;
    one.lumpPauseMs = Math.min(Math.max(2 * one.lumpPauseMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    one.lumpFrom = now() + one.lumpPauseMs;
    one.shown = ticket;
    // As a call that is under way: the tab is not closed before it is known what the rest is.
    one.calls += 1;
    one.lump = redeem(lump, one.tab, tabPaymentId(one.tab.key, lump.number))
      .then(async (received) => {
        if (received === null) return;
        one.lumpFrom = 0;
        one.lumpPauseMs = 0;
        one.shown = null;
        note({ ...one.tab, received: one.tab.received + received, lumps: lump.number });
        await written();
        one.lumpsWritten = lump.number;
      })
      .catch(() => {})
      .finally(() => {
        one.lump = null;
        finish(one);
      });
  };
}
