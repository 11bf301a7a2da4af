import { describe, expect, it } from 'vitest';
import {
  feesOf,
  MEDIATION_SETTINGS,
  mediationChoicesOf,
  routingModeIn,
} from '../../../src/cli/options/mediation.ts';
import { declare, readerOf } from '../../../src/cli/options/settings.ts';
import { LateCommand } from '../../../src/cli/process/late-command.ts';
import { DEFAULT_FEE_TERMS, DEFAULT_FLAT_FEES } from '../../../src/protocol/fees/fee-terms.ts';
import { STRANGER, TOKEN } from '../../support/makers.ts';

const SERVICE = 'http://pfs.example';

/** What was chosen by these flags; throws with what the command complains of. */
function chosen(flags: string[], environment: Record<string, string> = {}) {
  let complaint = '';
  const command = declare(new LateCommand('test'), MEDIATION_SETTINGS)
    .exitOverride()
    .configureOutput({
      writeErr: (line) => {
        complaint += line;
      },
    });
  try {
    return mediationChoicesOf(readerOf(command.parse(flags, { from: 'user' }), environment));
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
    const { byToken, others } = feesOf(chosen([]));
    expect(others).toEqual(DEFAULT_FEE_TERMS);
    expect(byToken).toEqual(new Map(DEFAULTS));
    expect(byToken.get(WRAPPED_ETHER)?.flat).toBe(10n ** 10n);
  });

  it('may be lower than the default of a token that has one', () => {
    const { byToken } = feesOf(chosen(['--flat-fee', WRAPPED_ETHER, '0']));
    expect(byToken.get(WRAPPED_ETHER)?.flat).toBe(0n);
  });

  it('are those of a token where something is said of it, and the default in the rest', () => {
    const flags = ['--flat-fee', TOKEN, '50', '--proportional-fee', STRANGER, '1000000'];
    const more = ['--proportional-imbalance-fee', STRANGER, '50000', '--flat-fee', STRANGER, '7'];
    expect(feesOf(chosen([...flags, ...more]))).toEqual({
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
      chosen(['--no-cap-mediation-fees', '--flat-fee', TOKEN, '1']),
    );
    expect(others.capFees).toBe(false);
    expect(byToken.get(TOKEN)?.capFees).toBe(false);
  });

  it('come from the environment too', () => {
    const { byToken } = feesOf(chosen([], { SLUICE_FLAT_FEE: `${TOKEN}=5,${STRANGER}=6` }));
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
  ] as const)(
    'is, with the option %s and the service %s, %s',
    (givenRoutingMode, service, mode) => {
      const choices = { givenRoutingMode, pathfindingServiceAddress: service };
      expect(routingModeIn(choices)).toEqual({ ok: true, value: mode });
    },
  );

  it('cannot be a service whose address is not given', () => {
    const choices = { givenRoutingMode: 'pfs', pathfindingServiceAddress: null } as const;
    expect(routingModeIn(choices)).toMatchObject({
      ok: false,
      message: expect.stringContaining('--pathfinding-service-address'),
    });
  });
});

describe('monitoring', () => {
  it.each([
    [[], null],
    [['--monitoring-reward', '7'], null],
    [['--enable-monitoring'], 80n * 10n ** 18n],
    [['--enable-monitoring', '--monitoring-reward', '7'], 7n],
  ])('is asked for with %j at %s units', (flags, reward) => {
    expect(chosen(flags).monitoringReward).toBe(reward);
  });
});
