import { describe, expect, it } from 'vitest';
import type { GuardRecord } from '../../../src/inspector-page/views/chart/activity.ts';
import { closedGuards, guardSentences } from '../../../src/inspector-page/views/chart/guards.ts';
import {
  type Camera,
  cameraOn,
  fitAll,
  fitWidth,
  isInSight,
  pan,
  zoomAt,
} from '../../../src/inspector-page/views/drawing/camera.ts';

const screen = { width: 800, height: 600 };
const drawing = { width: 1_600, height: 3_000 };
/** Where a point of the drawing stands on the screen. */
const onScreen = (camera: Camera, x: number, y: number) => [
  (x - camera.x) * camera.scale,
  (y - camera.y) * camera.scale,
];

describe('the camera over a drawing', () => {
  it('fits the width and begins at the top', () => {
    const camera = fitWidth(drawing, screen);
    expect(onScreen(camera, 0, 0)).toEqual([0, 0]);
    expect(onScreen(camera, 1_600, 0)).toEqual([800, 0]);
  });

  it('puts a small drawing into the middle, not larger than it is', () => {
    const camera = fitWidth({ width: 400, height: 200 }, screen);
    expect(camera.scale).toBe(1);
    expect(onScreen(camera, 200, 100)).toEqual([400, 300]);
  });

  it('looks at where the actor is, as much of it as can be read, with the last transition if it fits', () => {
    const active = { x: 100, y: 2_000, width: 200, height: 80 };
    const near = { x: 600, y: 1_700, width: 160, height: 15 };
    const far = { x: 1_400, y: 10, width: 160, height: 15 };
    const both = cameraOn(drawing, screen, [active, near]);
    expect(both.scale).toBe(1);
    expect([active, near].map((box) => isInSight(both, screen, box))).toEqual([true, true]);
    const first = cameraOn(drawing, screen, [active, far]);
    expect([active, far].map((box) => isInSight(first, screen, box))).toEqual([true, false]);
    // What is too large for the screen leaves nothing else to decide.
    const large = { x: 0, y: 0, width: 1_600, height: 3_000 };
    expect(cameraOn(drawing, screen, [large]).scale).toBe(1);
    expect(cameraOn(drawing, screen, [])).toEqual(fitWidth(drawing, screen));
  });

  it('stays within the drawing, and puts one that fits into the middle', () => {
    const corner = { x: 1_500, y: 2_900, width: 90, height: 90 };
    const { x, y } = cameraOn(drawing, screen, [corner]);
    expect(x).toBeCloseTo(1_600 - 800);
    expect(y).toBeCloseTo(3_000 - 600);
    const small = { width: 400, height: 200 };
    const box = { x: 0, y: 0, width: 50, height: 50 };
    expect(cameraOn(small, screen, [box])).toEqual({ scale: 1, x: -200, y: -200 });
  });

  it('shows all of a drawing whose words can be read then', () => {
    const narrow = { width: 400, height: 580 };
    const box = { x: 0, y: 0, width: 50, height: 50 };
    expect(cameraOn(narrow, screen, [box])).toEqual(fitAll(narrow, screen));
  });

  it('shows all of it when it is asked to', () => {
    const camera = fitAll(drawing, screen);
    expect(onScreen(camera, 0, 0)[1]).toBeCloseTo(0);
    expect(onScreen(camera, 800, 3_000)).toEqual([400, 600]);
  });

  it('keeps the point under the pointer in its place while it zooms', () => {
    const before = fitWidth(drawing, screen);
    const after = zoomAt(before, 1.5, 300, 200);
    const x = before.x + 300 / before.scale;
    const y = before.y + 200 / before.scale;
    expect(after.scale).toBeCloseTo(before.scale * 1.5);
    expect(onScreen(after, x, y)[0]).toBeCloseTo(300);
    expect(onScreen(after, x, y)[1]).toBeCloseTo(200);
  });

  it('never loses the drawing', () => {
    const far = pan(fitWidth(drawing, screen), 1e6, -1e6, drawing, screen);
    const [left = 0] = onScreen(far, 1_600, 0);
    const [, top = 0] = onScreen(far, 0, 0);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThanOrEqual(600);
  });
});

describe('a guard in words', () => {
  it('has the sentence of each name in it', () => {
    const guards = { isSafe: 'There is time.', isFailedJob: 'It failed.', other: 'No.' };
    expect(guardSentences('not isSafe or isFailedJob(close)', guards)).toEqual([
      { name: 'isSafe', sentence: 'There is time.' },
      { name: 'isFailedJob', sentence: 'It failed.' },
    ]);
  });

  const guard = (name: string, isOpen: boolean): GuardRecord => ({
    ...{ kind: 'guard', guard: name, isOpen, params: null, transition: null, reads: [] },
    ...{ seq: 1, part: 1, actor: 'node', cause: { from: 'outside' }, block: 1n, time: 0 },
  });

  it('blocked an edge when it was closed, and under a `not` when it was open', () => {
    const attempt = { seq: 1, block: 1n, isTaken: false };
    const open = guard('isOpen', true);
    const closed = guard('canLock', false);
    expect(closedGuards({ ...attempt, guards: [open, closed] })).toEqual([closed]);
    expect(closedGuards({ ...attempt, guards: [open] })).toEqual([open]);
  });
});
