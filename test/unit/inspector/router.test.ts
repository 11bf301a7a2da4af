import { describe, expect, it } from 'vitest';
import { type PagePlace, pageHash, pagePlaceOf } from '../../../src/inspector-page/base/router.ts';

describe('the addresses of the page', () => {
  it.each<PagePlace>([
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

  it('that mean nothing are the list of actors', () => {
    expect(pagePlaceOf('')).toEqual({ view: 'actors' });
    expect(pagePlaceOf('#/actor/')).toEqual({ view: 'actors' });
    expect(pagePlaceOf('#/%E0%A4%A/x')).toEqual({ view: 'actors' });
  });
});
