/** One thing that a node keeps as long as all is well with it, and how it is with that now. */
import type { NotificationId } from '../../protocol/notification-ids.ts';

/** Not a state but something that has happened: a lock was found without an actor. */
type Happening = 'unanswered_lock';
export type CheckId = Exclude<NotificationId, Happening>;
/** `body`: first what is the case, then, in another line, what follows from it and what can be done. */
export type Trouble = { summary: string; body: string };
export type Check = {
  /** What is so as long as the check is good: a sentence. */
  keeps: string;
  urgency: 'normal' | 'high';
  /** What is wrong; null: nothing; undefined: that is not known. Asks nobody. */
  look(): Trouble | null | undefined;
  /** Asks somebody outside of the process, from time to time: `look` knows the answer then. Never rejects. */
  ask?(): Promise<void>;
  /** Asked only every few hours. */
  isSeldom?: boolean;
  /** Whether the node takes no calls now as long as this is bad; absent: it does. */
  isNeeded?(): boolean;
};
export type Table = Readonly<Record<CheckId, Check>>;

/**
 * `isGood`: null when it is not known. `since`: milliseconds since 1970 since which it is so, or was found to be. `isNeeded`: the
 * node takes no calls because of it.
 */
export type HealthRow = Pick<Check, 'keeps' | 'urgency'> & {
  id: CheckId;
  isGood: boolean | null;
  since: number;
  isNeeded: boolean;
  trouble: Trouble | null;
};

/** A row that is bad, for people. `since`: milliseconds since 1970. */
export type OpenTrouble = Trouble & Pick<HealthRow, 'urgency' | 'since'> & { check: CheckId };
