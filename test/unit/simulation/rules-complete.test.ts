/**
 * What cannot fail must not be there: for each place in the simulation that reports a violation there is a defect of the node
 * that a run finds by it, or a test in which it is reported.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INVARIANT_NAMES } from '../../../src/simulation/invariants/names.ts';
import { PLANTED } from '../../simulation/planted/list.ts';

/** A planted defect that is found by the rule (`docs/simulation-defects.md`), or a test below `test/` and what it expects. */
type Shown = { planted: string } | { test: string; says: string };

const RULES = 'src/simulation';
const planted = (id: string): Shown => ({ planted: id });
const inUnit = (file: string, says: string): Shown => {
  return { test: `unit/simulation/${file}.test.ts`, says };
};
const inRun = (file: string, says: string): Shown => ({
  test: `simulation/${file}.test.ts`,
  says,
});

/** By file and number, as they stand in the source. */
const SHOWN: Record<string, Shown> = {
  'invariants/bounds.ts 32': inUnit('invariants', 'toBe(32)'),
  'invariants/chain/orders.ts 21': planted('R17a'),
  'invariants/chain/orders.ts 23': planted('R52a'),
  'invariants/chain/orders.ts 25': planted('R52c'),
  'invariants/chain/orders.ts 26': planted('R27f'),
  'invariants/chain/places.ts 26': planted('R18a'),
  'invariants/chain/reading.ts 20': planted('R16a'),
  'invariants/chain/reading.ts 21': inUnit('rules-fail', '[null, 21]'),
  'invariants/chain/sight.ts 23': planted('R15a'),
  'invariants/chain/transactions.ts 26': planted('R17b'),
  'invariants/commits/contexts.ts 39': planted('R87a'),
  'invariants/locks/claims.ts 25': planted('R1q'),
  'invariants/locks/disclosures.ts 8': planted('R24b'),
  'invariants/locks/disclosures.ts 15': planted('R44c'),
  'invariants/locks/disclosures.ts 29': planted('R20a'),
  'invariants/locks/endings.ts 13': planted('R22a'),
  'invariants/locks/heights.ts 25': planted('R59a'),
  'invariants/locks/margins.ts 7': planted('R2c'),
  'invariants/locks/margins.ts 15': planted('R12a'),
  'invariants/locks/registrations.ts 26': planted('R1l'),
  'invariants/locks/requests.ts 21': planted('R21c'),
  'invariants/locks/served.ts 37': inUnit('gas-rules', '37'),
  'invariants/locks/timeouts.ts 25': planted('R58b'),
  'invariants/locks/unclaimed.ts 13': planted('R25f'),
  'invariants/locks/unclaimed.ts revealed === null ? 25 : 23': planted('R1m'),
  'invariants/messages/acknowledged.ts 21': inUnit('commits', "outboxDone: ['a'] })).toBe(21)"),
  'invariants/messages/answers.ts 19': inUnit('what-comes-true', '19'),
  'invariants/messages/arrivals.ts 21': planted('R48c'),
  'invariants/messages/farewells.ts 18': inUnit('invariants', 'toBe(18)'),
  'invariants/messages/persistence.ts 21': inUnit('commits', '[null, 21, null]'),
  'invariants/messages/queues.ts 21': planted('R36a'),
  'invariants/messages/repeats.ts 32': inUnit('rules-fail', '[null, 32]'),
  'invariants/messages/refused.ts 19': planted('R30d'),
  'invariants/messages/reunions.ts 21': inRun('rules-find', '/says no Sync/'),
  'invariants/messages/seals.ts 31': inUnit('rules-fail', 'createSeals(() => isOpen)'),
  'invariants/messages/sequences.ts 34': inUnit('what-comes-true', '34'),
  'invariants/messages/shares.ts 32': planted('R70b'),
  'invariants/messages/signatures.ts 12': planted('R14c'),
  'invariants/messages/signatures.ts 14': planted('R3a'),
  'invariants/messages/succession.ts 19': planted('R29f'),
  'invariants/messages/unsaid.ts 20': planted('R23f'),
  'invariants/messages/withdraw-sayings.ts 21': planted('R27m'),
  'invariants/messages/witness.ts 10': planted('R29a'),
  'invariants/messages/witness.ts 15': planted('R1h'),
  'invariants/messages/witness.ts 19': planted('R23a'),
  'invariants/messages/witness.ts 31': inUnit('rules-fail', '[null, 31]'),
  'invariants/money/amplification.ts 36': inUnit('gas-rules', '36'),
  'invariants/money/burdens.ts 36': inUnit('gas-rules', '36'),
  'invariants/money/debtors.ts 26': planted('R61b'),
  'invariants/money/detours.ts 9': inUnit('detours', 'toBe(9)'),
  'invariants/money/disputes.ts invariant': planted('R4a'),
  'invariants/money/earnings.ts 9': inUnit('what-comes-true', 'toBe(9)'),
  'invariants/money/escrow.ts 35': inUnit('gas-rules', '35'),
  'invariants/money/fees.ts 9': inUnit('invariants', '[null, 9, 9]'),
  'invariants/money/forced.ts 36': inUnit('commits', 'toBe(36)'),
  'invariants/money/gas-told.ts 28': planted('R61d'),
  'invariants/money/ledger.ts 12': planted('R9a'),
  'invariants/money/losses.ts 26': planted('R46a'),
  'invariants/money/mediated.ts 9': planted('R87c'),
  'invariants/money/payment-locks.ts 6': planted('R25c'),
  'invariants/money/payment-locks.ts 7': planted('R2b'),
  'invariants/money/payment-locks.ts 16': planted('R1c'),
  'invariants/money/reserves.ts 26': planted('R61a'),
  'invariants/money/signed-steps.ts 10': inUnit('rules-fail', 'toBe(10)'),
  'invariants/money/signed-steps.ts 14': inUnit('rules-fail', '[null, 14]'),
  'invariants/money/solvency.ts 4': inUnit('invariants', 'toBe(4)'),
  'invariants/money/stakes.ts 2': inUnit('rules-fail', '[null, 2]'),
  'invariants/money/stakes.ts 11': inUnit('rules-fail', '[null, null, 11]'),
  'invariants/money/withdrawals.ts 2': planted('R27j'),
  'invariants/money/withdrawals.ts 17': planted('R27k'),
  'invariants/money/withdrawals.ts 32': planted('R36c'),
  'invariants/money/withdrawals.ts 39': planted('R27p'),
  'invariants/records/callers.ts 27': inRun('rules-find', 'pays 30 for flow 0'),
  'invariants/records/histories.ts 31': planted('R33a'),
  'invariants/records/keeping.ts 19': inUnit('what-comes-true', '19'),
  'invariants/records/promises.ts 27': inUnit('what-comes-true', '27'),
  'invariants/records/receipts.ts 8': planted('R42e'),
  'invariants/records/receipts.ts 29': inUnit('what-comes-true', '29'),
  'invariants/records/refusals.ts 27': inUnit('refusals', 'toBe(27)'),
  'invariants/records/sales.ts 38': inUnit('sales', '38'),
  'invariants/records/views.ts 28': planted('R28b'),
  'replica/audit.ts invariant': planted('R29c'),
  'run/judgements.ts 27': inRun('steps-fail', 'was to be a success'),
  'run/play.ts 0': inRun('rules-find', 'the nodes did not become ready'),
  'run/play.ts 21': inRun('steps-fail', 'never answers withdraw'),
  'run/result-of.ts 5': planted('R2a'),
  'run/result-of.ts 13': inRun('steps-fail', 'locks that never end'),
  'run/result-of.ts 21': planted('R21b'),
  'run/rules/oversight.ts 30': planted('R14a'),
  'run/rules/probes.ts 21': inRun('rules-find', 'cannot pay over'),
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** The places that report a violation, each by file and number. */
const REPORTED = filesIn(RULES).flatMap((file) => {
  const source = readFileSync(join(RULES, file), 'utf8');
  const numbers = [...source.matchAll(/new Violation\(\s*([^,]+),/g)].map(([, number]) => number);
  return [...new Set(numbers)].map((number) => ({ key: `${file} ${number}`, file, number }));
});
const DEFECTS = readFileSync('docs/simulation-defects.md', 'utf8');

describe('a rule', () => {
  it('is shown to fail, each', () => {
    expect(REPORTED.map(({ key }) => key).toSorted()).toEqual(Object.keys(SHOWN).toSorted());
  });

  it.each(REPORTED)('fails where it is said to: $key', ({ key, file, number }) => {
    const shown = SHOWN[key];
    if (shown === undefined) return expect.fail(`${key} is not shown`);
    if ('planted' in shown) {
      const bug = PLANTED.find(({ id }) => id === shown.planted);
      const row = DEFECTS.split('\n').find((line) => line.startsWith(`| ${shown.planted} |`));
      expect(bug?.world).toBeDefined();
      const found = row?.split(' | ').at(-2);
      return expect(found).toMatch(
        /^\d+$/.test(number ?? '') ? new RegExp(`^${number}$`) : /^\d+$/,
      );
    }
    const test = readFileSync(`test/${shown.test}`, 'utf8');
    expect(test).toContain(shown.says);
    if (shown.test.startsWith('unit')) expect(test).toContain(`simulation/${file}'`);
  });

  it('has a name, and each name a rule', () => {
    const numbers = new Set(REPORTED.flatMap(({ key }) => key.match(/\d+/g) ?? []));
    const unnamed = [...numbers].filter((number) => INVARIANT_NAMES[Number(number)] === undefined);
    expect(unnamed).toEqual([]);
  });
});
