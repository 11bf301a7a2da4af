/** One thing that a node keeps as long as all is well with it, and how it is with that now. */
import type { Check as AnyCheck, Row, Trouble } from '../../basics/health.ts';
import type { NotificationId } from '../../protocol/notification-ids.ts';

/** Not a state but something that has happened: a lock was found without an actor. */
type Happening = 'unanswered_lock';
export type CheckId = Exclude<NotificationId, Happening>;
export type Check = AnyCheck & {
  /** Asks somebody outside of the process, from time to time: `look` knows the answer then. Never rejects. */
  ask?(): Promise<void>;
  /** Asked only every few hours. */
  isSeldom?: boolean;
};
export type Table = Readonly<Record<CheckId, Check>>;
export type HealthRow = Row<CheckId>;

/** A row that is bad, for people. `since`: milliseconds since 1970. */
export type OpenTrouble = Trouble & Pick<HealthRow, 'urgency' | 'since'> & { check: CheckId };
