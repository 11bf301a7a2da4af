import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../src/inspector/source.ts';
import type { ListedActor } from '../../../src/inspector/wire.ts';
import { actorName, regionsOf } from '../../../src/inspector-page/base/names.ts';
import { type AskRows, createSearch, queryOf } from '../../../src/inspector-page/base/search.ts';
import { commandOf } from '../../../src/inspector-page/frame/shortcuts.ts';
import { connectionAfter, LOST_AFTER_MS } from '../../../src/page-parts/connection.ts';
import { CHANNEL, hashOf, PARTNER } from '../../support/makers.ts';
import { syntheticRows } from '../../support/synthetic-actors.ts';

describe('the connection', () => {
  it('is given up for lost only when the node has been silent for a while', () => {
    const silent = new SourceError(0, 'The node does not answer.');
    expect(connectionAfter(silent, LOST_AFTER_MS - 1)).toBe('reconnecting');
    expect(connectionAfter(silent, LOST_AFTER_MS)).toBe('lost');
  });

  it('asks for a token when the node refuses, however long it was silent', () => {
    expect(connectionAfter(new SourceError(401, ''), LOST_AFTER_MS)).toBe('token');
    expect(connectionAfter(new SourceError(403, ''), 0)).toBe('token');
    expect(connectionAfter(new SourceError(503, ''), 0)).toBe('reconnecting');
  });
});

describe('the keys of the frame', () => {
  it('change the view of the open actor and keep its step', () => {
    expect(commandOf('2', { view: 'chart', actor: 'node', step: 7 })).toEqual({
      do: 'go',
      hash: '#/actor/node/money?step=7',
    });
  });

  it('mean nothing where there is nothing to change', () => {
    expect(commandOf('2', { view: 'actors' })).toBeNull();
    expect(commandOf('9', { view: 'chart', actor: 'node' })).toBeNull();
    expect(commandOf('x', { view: 'actors' })).toBeNull();
  });
});

describe('names', () => {
  it('call a channel by its number and a payment by its secrethash', () => {
    expect(actorName(CHANNEL)).toEqual({ kind: 'Channel', name: '1' });
    const hash = hashOf(1);
    const name = `${hash.slice(0, 6)}…${hash.slice(-4)}`;
    expect(actorName(`initiator:${hash}`)).toEqual({ kind: 'Payment sent', name });
    expect(actorName('node')).toEqual({ kind: 'Node', name: '' });
  });

  it('take a state of several regions apart', () => {
    expect(regionsOf('opened.deposit.idle+withdraw.idle')).toHaveLength(2);
  });
});

describe('the search', () => {
  const rows = syntheticRows(200);
  const [row] = rows.filter(({ paymentId }) => paymentId !== null);
  if (row?.paymentId == null) throw new Error('there is no payment among the rows');

  /** A node that finds by its query only what `asked` says. */
  function askingNode(asked: readonly ListedActor[] = []) {
    const queries: unknown[] = [];
    const ask: AskRows = async (query) => {
      queries.push(query);
      return query === undefined ? rows : asked;
    };
    return { ask, queries };
  }

  it('finds by a part of the id, of the partner and of the payment identifier', async () => {
    const search = createSearch(askingNode().ask);
    for (const text of [row.actor.slice(4, 40), `${row.paymentId}`.slice(0, 18)]) {
      expect((await search.find(text)).map(({ actor }) => actor)).toContain(row.actor);
    }
    expect(await search.find(`${row.partner}`.slice(0, 30).toUpperCase())).not.toEqual([]);
  });

  it('finds what only the node knows: the channel that holds the lock of a payment', async () => {
    const channel = { ...row, actor: 'channel:0x00:77' };
    const { ask, queries } = askingNode([channel]);
    expect(await createSearch(ask).find(hashOf(5_000))).toEqual([channel]);
    expect(queries).toContainEqual({ payment: hashOf(5_000) });
  });

  it('asks for the whole list once while letters are typed', async () => {
    const { ask, queries } = askingNode();
    const search = createSearch(ask);
    for (const text of ['cha', 'chan', 'chann']) await search.find(text);
    expect(queries).toEqual([undefined]);
  });

  it('knows an address from a payment', () => {
    expect(queryOf(PARTNER)).toEqual({ partner: PARTNER });
    expect(queryOf('184')).toEqual({ payment: '184' });
    expect(queryOf('chan')).toBeNull();
  });
});
