/** Worlds in which the defects of `../routing.ts` show. */
import { type Part, pay } from '../../small-scenarios.ts';

const fees = (flat: string, more: Readonly<Record<string, unknown>> = {}) => {
  return { fees: { flat, proportional_ppm: 0, imbalance_ppm: 0, ...more } };
};

export const ROUTING_WORLDS: Readonly<Record<string, Part>> = {
  'a payment balances the channels of a mediator that charges for imbalance': {
    defaults: fees('0', { imbalance_ppm: 50_000, cap: true }),
    steps: [pay(2, 1, 300), pay(1, 0, 300), pay(0, 2, 200, 3)],
  },
  'the only way costs more than a payer gives': {
    defaults: fees('30'),
    steps: [{ ...pay(0, 2, 100), expect: 'failure' }],
  },
  'a mediator charges for each payment': {
    defaults: fees('10'),
    steps: [{ ...pay(0, 2, 100), expect: 'success' }],
  },
  'the path-finding service is of another chain': {
    services: { path_finding: { kind: 'services', lies: 'other_chain' } },
    steps: [{ ...pay(0, 2, 100), expect: 'failure' }],
  },
};
