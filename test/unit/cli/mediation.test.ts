import { describe, expect, it } from 'vitest';
import { feesOf, routingModeIn } from '../../../src/cli/options/mediation.ts';
import { NODE_OPTIONS } from '../../../src/cli/options/node-options.ts';
import { declare, valuesOf } from '../../../src/cli/options/settings.ts';
import { LateCommand } from '../../../src/cli/process/late-command.ts';
import { DEFAULT_FEE_TERMS, DEFAULT_FLAT_FEES } from '../../../src/protocol/fees/fee-terms.ts';
import { STRANGER, TOKEN } from '../../support/makers.ts';

const { fees, tokenValues, monitoring } = NODE_OPTIONS;
const OPTIONS = { fees, tokenValues, monitoring };

const SERVICE = 'http://pfs.example';

/** What was chosen by these flags; throws with what the command complains of. */
function chosen(flags: string[], environment: Record<string, string> = {}) {
  let complaint = '';
  const command = declare(new LateCommand('test'), OPTIONS)
    .exitOverride()
    .configureOutput({
      writeErr: (line) => {
        complaint += line;
      },
    });
  try {
    return valuesOf(command.parse(flags, { from: 'user' }), OPTIONS, environment);
  } catch {
    throw new Error(complaint);
  }
}

const WRAPPED_ETHER = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';

/** What holds without a word, with a flat fee for two tokens of the main network. */
const DEFAULTS = [...DEFAULT_FLAT_FEES].map(
  ([token, flat]) => [token, { ...DEFAULT_FEE_TERMS, flat }] as const,
);

it('what tokens are worth is not known, but for those of which it is said', () => {
  expect(chosen([]).tokenValues).toEqual(new Map());
  const flags = ['--token-value', TOKEN, '400000000000000', '--token-value', STRANGER, '0'];
  expect(chosen(flags).tokenValues).toEqual(
    new Map([
      [TOKEN, 4n * 10n ** 14n],
      [STRANGER, 0n],
    ]),
  );
});

describe('the fees of a node', () => {
  it('are the documented ones when nothing is said', () => {
    const { byToken, others } = feesOf(chosen([]).fees);
    expect(others).toEqual(DEFAULT_FEE_TERMS);
    expect(byToken).toEqual(new Map(DEFAULTS));
    expect(byToken.get(WRAPPED_ETHER)?.flat).toBe(10n ** 10n);
  });

  it('may be lower than the default of a token that has one', () => {
    const { byToken } = feesOf(chosen(['--flat-fee', WRAPPED_ETHER, '0']).fees);
    expect(byToken.get(WRAPPED_ETHER)?.flat).toBe(0n);
  });

  it('are those of a token where something is said of it, and the default in the rest', () => {
    const flags = ['--flat-fee', TOKEN, '50', '--proportional-fee', STRANGER, '1000000'];
    const more = ['--proportional-imbalance-fee', STRANGER, '50000', '--flat-fee', STRANGER, '7'];
    expect(feesOf(chosen([...flags, ...more]).fees)).toEqual({
      byToken: new Map([
        ...DEFAULTS,
        [TOKEN, { ...DEFAULT_FEE_TERMS, flat: 50n }],
        [STRANGER, { flat: 7n, proportional: 1_000_000n, imbalance: 50_000n, capFees: true }],
      ]),
      others: DEFAULT_FEE_TERMS,
    });
  });

  it('may let a node pay for being used, in every token', () => {
    const { byToken, others } = feesOf(
      chosen(['--no-cap-mediation-fees', '--flat-fee', TOKEN, '1']).fees,
    );
    expect(others.capFees).toBe(false);
    expect(byToken.get(TOKEN)?.capFees).toBe(false);
  });

  it('come from the environment too', () => {
    const { byToken } = feesOf(chosen([], { SLUICE_FLAT_FEE: `${TOKEN}=5,${STRANGER}=6` }).fees);
    expect([byToken.get(TOKEN)?.flat, byToken.get(STRANGER)?.flat]).toEqual([5n, 6n]);
  });

  it.each([
    ['--proportional-fee', '1000001'],
    ['--proportional-imbalance-fee', '50001'],
    ['--flat-fee', '-1'],
    ['--flat-fee', '1.5'],
  ])('are refused out of their bounds: %s %s', (flag, value) => {
    expect(() => chosen([flag, TOKEN, value])).toThrow(/must name each token once|unknown option/);
  });

  it('are refused when a token has no amount', () => {
    expect(() => chosen(['--flat-fee', TOKEN])).toThrow('--flat-fee must name each token once');
  });
});

describe('the way to find routes', () => {
  it.each([
    [null, null, 'local'],
    [null, SERVICE, 'pfs'],
    ['local', SERVICE, 'local'],
    ['pfs', SERVICE, 'pfs'],
  ] as const)('is, with the option %s and the service %s, %s', (routingMode, service, mode) => {
    const choices = { routingMode, pathfindingServiceAddress: service };
    expect(routingModeIn(choices)).toEqual({ ok: true, value: mode });
  });

  it('cannot be a service whose address is not given', () => {
    const choices = { routingMode: 'pfs', pathfindingServiceAddress: null } as const;
    expect(routingModeIn(choices)).toMatchObject({
      ok: false,
      message: expect.stringContaining('--pathfinding-service-address'),
    });
  });
});

describe('monitoring', () => {
  it.each([
    [[], false, 80n * 10n ** 18n],
    [['--monitoring-reward', '7'], false, 7n],
    [['--enable-monitoring'], true, 80n * 10n ** 18n],
    [['--enable-monitoring', '--monitoring-reward', '7'], true, 7n],
  ])('is asked for with %j: %s, at %s units', (flags, isEnabled, reward) => {
    expect(chosen(flags).monitoring).toEqual({ isEnabled, reward });
  });
});
