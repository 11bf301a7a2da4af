import { describe, expect, it } from 'vitest';
import {
  canRenew,
  isRenewalDue,
  type RegistrationFacts,
  registrationTrouble,
  renewalTrouble,
} from '../../../../src/services/base/renewal.ts';
import { PARTNER, TOKEN } from '../../../support/makers.ts';

const DAY = 86_400n;
const NOW = 1_800_000_000n;
const terms = { service: PARTNER, token: TOKEN, renewUpTo: 100n };
const idle = { isUnderWay: false, failure: null };

function facts(left: bigint, part: Partial<RegistrationFacts> = {}): RegistrationFacts {
  const till = NOW + left;
  return { till, sureTill: till, duration: 180n * DAY, price: 50n, held: 60n, ...part };
}

describe('a registration', () => {
  it('is renewed ten days before its end, a short one in its last tenth', () => {
    expect(isRenewalDue(facts(10n * DAY + 1n), NOW)).toBe(false);
    expect(isRenewalDue(facts(10n * DAY), NOW)).toBe(true);
    expect(isRenewalDue(facts(-5n), NOW)).toBe(true);
    expect(isRenewalDue(facts(101n, { duration: 1_000n }), NOW)).toBe(false);
    expect(isRenewalDue(facts(100n, { duration: 1_000n }), NOW)).toBe(true);
  });

  it('is not renewed twice, whichever of two blocks shows the first time', () => {
    expect(isRenewalDue(facts(190n * DAY, { sureTill: NOW + 9n * DAY }), NOW)).toBe(false);
    expect(isRenewalDue(facts(9n * DAY, { sureTill: NOW + 190n * DAY }), NOW)).toBe(false);
  });

  it('costs no more than was accepted, and no more than there is', () => {
    expect(canRenew(facts(0n), terms)).toBe(true);
    expect(canRenew(facts(0n, { price: 101n, held: 500n }), terms)).toBe(false);
    expect(canRenew(facts(0n, { held: 49n }), terms)).toBe(false);
    expect(canRenew(facts(0n), { ...terms, renewUpTo: null })).toBe(false);
  });

  it('is in order until its last hour', () => {
    expect(registrationTrouble(facts(3_601n), terms, NOW)).toBeNull();
    expect(registrationTrouble(facts(3_600n), terms, NOW)).toContain('ends at 2027-01-15');
    expect(registrationTrouble(facts(-1n), terms, NOW)).toContain('ended at 2027-01-15');
    const never = facts(0n, { till: 0n, sureTill: 0n });
    expect(registrationTrouble(never, terms, NOW)).toContain('is not registered');
    const alone = { ...terms, renewUpTo: null };
    expect(registrationTrouble(never, alone, NOW)).toContain('--register-until-stopped');
  });

  it('is spoken of two weeks before its end when nothing renews it, and not after it', () => {
    const alone = { ...terms, renewUpTo: null };
    expect(renewalTrouble(facts(14n * DAY + 1n), alone, idle, NOW)).toBeNull();
    expect(renewalTrouble(facts(14n * DAY), alone, idle, NOW)).toContain('nothing renews it');
    expect(renewalTrouble(facts(0n), alone, idle, NOW)).toBeNull();
  });

  it.each<[string, Partial<RegistrationFacts>, string | null, string | null]>([
    ['nothing, when it can be paid', {}, null, null],
    [
      'that the price is too high',
      { price: 101n, held: 500n },
      null,
      'more than --accept-price 100',
    ],
    ['that tokens are missing', { held: 49n }, null, 'holds 49'],
    ['why the last try failed', {}, 'reverted', 'reverted. It is tried again'],
  ])('says %s, in time', (_, part, failure, text) => {
    const said = renewalTrouble(facts(14n * DAY, part), terms, { ...idle, failure }, NOW);
    if (text === null) expect(said).toBeNull();
    else expect(said).toContain(text);
    expect(renewalTrouble(facts(15n * DAY, part), terms, { ...idle, failure }, NOW)).toBeNull();
  });

  it('says that a renewal does not get through', () => {
    const underWay = { isUnderWay: true, failure: null };
    expect(renewalTrouble(facts(6n * DAY), terms, underWay, NOW)).toBeNull();
    expect(renewalTrouble(facts(5n * DAY), terms, underWay, NOW)).toContain('not through');
  });
});
