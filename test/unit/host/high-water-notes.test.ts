/** What is noted of a database while it is used: never more than what anything may have followed from. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepNotes } from '../../../src/host/database/high-water-notes.ts';
import { readHighWater } from '../../../src/store/durability/high-water.ts';
import { temporaryFolder } from '../../support/store.ts';

/** A database whose newest step is `seq`, and a replica that has everything unless it is away. */
function makeNotes() {
  const file = join(temporaryFolder(), 'node.high-water');
  const waiting: (() => void)[] = [];
  const warnings: string[] = [];
  let seq = 1;
  let isAway = false;
  let tick = () => {};
  const keep = (place = file) =>
    keepNotes({
      file: place,
      store: {
        highWater: () => ({ instance: 'i', seq }),
        whenAcknowledged: (done) => void (isAway ? waiting.push(done) : done()),
      },
      log: { info() {}, warn: (_, text) => void warnings.push(text), error() {} },
      clock: {
        now: () => 0,
        elapsed: () => 0,
        every(_, work) {
          tick = work;
          return () => {};
        },
      },
    });
  return {
    keep,
    warnings,
    waiting,
    noted: () => readHighWater(file)?.seq ?? null,
    go(step: number) {
      seq = step;
      tick();
    },
    goAway() {
      isAway = true;
    },
    comeBack() {
      isAway = false;
      for (const done of waiting.splice(0)) done();
    },
  };
}

describe('the note of a database in use', () => {
  it('is written at once, after new commits, and at the end', () => {
    const { keep, go, noted } = makeNotes();
    const end = keep();
    expect(noted()).toBe(1);
    go(5);
    expect(noted()).toBe(5);
    end();
    expect(noted()).toBe(5);
  });

  it('does not tell of commits that the replica lacks: one that is built from it would be an old copy', () => {
    const { keep, go, goAway, comeBack, noted, waiting } = makeNotes();
    const end = keep();
    goAway();
    for (const step of [6, 7, 8]) go(step);
    expect(noted()).toBe(1);
    expect(waiting).toHaveLength(1);
    comeBack();
    expect(noted()).toBe(6);
    go(9);
    expect(noted()).toBe(9);
    goAway();
    go(10);
    end();
    expect(noted()).toBe(9);
  });

  it('says once that it cannot be written', () => {
    const { keep, go, warnings } = makeNotes();
    const folder = join(temporaryFolder(), 'a file, and no folder');
    writeFileSync(folder, '');
    const place = join(folder, 'node.high-water');
    const end = keep(place);
    go(2);
    end();
    expect(warnings).toEqual([`${place} cannot be written`]);
  });
});
