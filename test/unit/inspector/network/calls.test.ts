import { describe, expect, it } from 'vitest';
import type { PlayNode } from '../../../../src/inspector/devnet-wire.ts';
import {
  answerLines,
  callRefusalIn,
  closeCall,
  deedCall,
  depositCall,
  mineCall,
  openCall,
  payCall,
  unitsIn,
  withdrawCall,
} from '../../../../src/inspector-page/network/play/calls.ts';

const ALICE: PlayNode = {
  name: 'alice',
  address: '0xa1',
  api: 'http://127.0.0.1:5001',
  pid: 7,
  isRunning: true,
  busy: null,
  canKill: true,
  isConnected: true,
};
const BOB: PlayNode = { ...ALICE, name: 'bob', address: '0xb0' };
const SITE = 'http://127.0.0.1:5100';

describe('the calls of a devnet’s page', () => {
  it('go through the page’s own address, and to the node itself from a shell', () => {
    const json = "-H 'content-type: application/json' -d";
    const asked = { from: ALICE, to: BOB, token: '0xt', amount: 5n, written: '5 TTA' };
    expect(payCall(asked)).toEqual({
      method: 'POST',
      path: '/devnet/nodes/alice/api/v1/payments/0xt/0xb0',
      body: { amount: '5' },
      curl: `curl -X POST http://127.0.0.1:5001/api/v1/payments/0xt/0xb0 ${json} '{"amount":"5"}'`,
      done: 'alice has paid bob 5 TTA.',
    });
    expect(openCall({ ...asked, amount: 9n })).toMatchObject({
      method: 'PUT',
      path: '/devnet/nodes/alice/api/v1/channels',
      body: { token_address: '0xt', partner_address: '0xb0', total_deposit: '9' },
    });
    const side = { from: ALICE, partner: '0xb0', token: '0xt' };
    expect([depositCall(side, 12n, '3'), withdrawCall(side, 4n, '4')]).toMatchObject([
      { body: { total_deposit: '12' } },
      { body: { total_withdraw: '4' } },
    ]);
    expect(closeCall(side)).toMatchObject({
      curl: `curl -X PATCH http://127.0.0.1:5001/api/v1/channels/0xt/0xb0 ${json} '{"state":"closed"}'`,
    });
    expect(deedCall(SITE, 'alice', 'kill').curl).toBe(
      'curl -X POST http://127.0.0.1:5100/devnet/nodes/alice/kill',
    );
    expect(mineCall(SITE, '20')).toMatchObject({ path: '/devnet/mine/20', body: null });
  });

  it('are answered with lines that hide a secret, or with the reason of a refusal', () => {
    expect(answerLines('{"amount":"5","secret":"0x12"}\n')).toBe(
      '{\n  "amount": "5",\n  "secret": "(hidden)"\n}',
    );
    expect(answerLines('Internal server error')).toBeNull();
    expect(callRefusalIn('{"errors":"Pay less.","code":"no_route"}')).toBe('Pay less.');
    expect(callRefusalIn('{"errors":{"amount":["digits"]}}')).toBe('{"amount":["digits"]}');
    expect(callRefusalIn('Internal server error')).toBeNull();
  });

  it.each([
    ['1', 18, 10n ** 18n],
    ['1.5', 18, 15n * 10n ** 17n],
    [' 1,000.50 ', 2, 100_050n],
    ['0.000000000000000001', 18, 1n],
    ['7', 0, 7n],
    ['0.1', 0, null],
    ['0.001', 2, null],
    ['-1', 18, null],
    ['1e3', 18, null],
    ['', 18, null],
    ['.5', 18, null],
  ])('read "%s" with %i decimals as %s units', (text, decimals, units) => {
    expect(unitsIn(text, decimals)).toBe(units);
  });
});
