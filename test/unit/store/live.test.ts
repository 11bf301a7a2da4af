import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActorRow, OutboxRow } from '../../../src/store/base/batch.ts';
import { ALICE, batchOf, openedStore, temporaryFolder } from '../../support/store.ts';

const actor = (id: string, state: string): ActorRow => ({ id, kind: 'target', version: 1, state });
const message = (key: string, body: string): OutboxRow => {
  return { key, queue: null, recipient: ALICE, messageId: 7n, nonce: null, givers: [], body };
};

const name = fc.constantFrom(...Array.from({ length: 12 }, (_, n) => `target:${n}`));
const text = fc.string({ unit: 'binary', maxLength: 20 });
const change = fc.record({ name, text: fc.option(text), isMessage: fc.boolean() });
/** Several hundred commits: what they change is brought into the tables several times. */
const commits = fc.array(fc.uniqueArray(change, { selector: ({ name }) => name, maxLength: 4 }), {
  minLength: 150,
  maxLength: 260,
});

function applied<R>(rows: Map<string, R>, of: string, row: R | null): void {
  if (row === null) rows.delete(of);
  else rows.set(of, row);
}

describe('actors and messages', () => {
  it('are what the commits made of them, in their order, whenever the process ends', () => {
    const property = fc.property(commits, fc.nat(9), (list, restarts) => {
      const url = `file:${join(temporaryFolder(), 'node.db')}`;
      let store = openedStore({ url });
      const actors = new Map<string, ActorRow>();
      const outbox = new Map<string, OutboxRow>();
      for (const [at, changes] of list.entries()) {
        const batch = batchOf({});
        for (const { name, text, isMessage } of changes) {
          if (isMessage && text === null) batch.outboxDone.push(name);
          if (isMessage && text !== null) batch.outbox.push(message(name, text));
          if (!isMessage && text === null) batch.retired.push(name);
          if (!isMessage && text !== null) batch.actors.push(actor(name, text));
          if (isMessage) applied(outbox, name, text === null ? null : message(name, text));
          else applied(actors, name, text === null ? null : actor(name, text));
        }
        store.commit(batch);
        if (at % 40 !== restarts) continue;
        store.close();
        store = openedStore({ url });
        expect(store.loadOutbox()).toEqual([...outbox.values()]);
      }
      expect(store.loadActors()).toEqual([...actors.values()]);
      expect(store.loadOutbox()).toEqual([...outbox.values()]);
      store.close();
    });
    fc.assert(property, { numRuns: 12 });
  });
});
