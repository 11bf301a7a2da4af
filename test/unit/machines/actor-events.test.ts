import { describe, expectTypeOf, it } from 'vitest';
import type { Notify } from '../../../machines/effects.ts';
import type { ActorEvent } from '../../../machines/events.ts';
import type { Delivery } from '../../../src/node/runtime/commits/delivery.ts';

/** The compiler holds these: `npm run types`. */
describe('what an actor can be told', () => {
  it('is one closed union, for other actors and for the node', () => {
    expectTypeOf<Notify['event']>().toEqualTypeOf<ActorEvent>();
    expectTypeOf<Delivery['event']>().toEqualTypeOf<ActorEvent>();
  });

  it('has no event that no machine names, and none without its fields', () => {
    expectTypeOf<{ type: 'told.nothing' }>().not.toExtend<ActorEvent>();
    expectTypeOf<{ type: 'actor.planEnded' }>().not.toExtend<ActorEvent>();
    expectTypeOf<{ type: 'actor.caughtUp' }>().toExtend<ActorEvent>();
  });

  it('has the signature of every message that a contract reads', () => {
    type Signed = Extract<ActorEvent, { type: 'msg.unlock' | 'msg.withdrawConfirmation' }>;
    expectTypeOf<Omit<Signed, 'signature'>>().not.toExtend<ActorEvent>();
  });
});
