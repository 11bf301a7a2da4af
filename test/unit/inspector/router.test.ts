import { describe, expect, it } from 'vitest';
import { type PagePlace, pageHash, pagePlaceOf } from '../../../src/inspector-page/base/router.ts';

describe('the addresses of the page', () => {
  it.each<PagePlace>([
    { view: 'home' },
    { view: 'actors' },
    { view: 'money', actor: 'channel:0xAB:7' },
    { view: 'chart', actor: 'target:a/b?c#d', step: 1_240 },
  ])('lead back to where they come from: %o', (place) => {
    expect(pagePlaceOf(pageHash(place))).toEqual(place);
  });

  it('forget a step that is no number', () => {
    expect(pagePlaceOf('#/actor/node/history?step=-1')).toEqual({ view: 'history', actor: 'node' });
    expect(pagePlaceOf('#/actor/node/history?step=1e3')).toEqual({
      view: 'history',
      actor: 'node',
    });
  });

  it('that mean nothing lead to what the node has and does', () => {
    expect(pagePlaceOf('')).toEqual({ view: 'home' });
    expect(pagePlaceOf('#/actor/')).toEqual({ view: 'home' });
    expect(pagePlaceOf('#/%E0%A4%A/x')).toEqual({ view: 'home' });
  });
});
