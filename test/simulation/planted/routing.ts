/** Fees, routes, and what nodes tell each other of them. */
import { editIn, type PlantedBug } from './patch.ts';

const fees = editIn('src/protocol/fees/fees.ts');
const ways = editIn('src/node/routing/usable-routes.ts');
const updates = editIn('src/node/messaging/channel-updates.ts');

export const ROUTING: readonly PlantedBug[] = [
  {
    id: 'R39b',
    title: 'After the clock was set back the node tells nobody what its channels can carry.',
    edits: [
      updates(
        'Math.abs(now() - (told.get(id)?.time ?? -Infinity)) < PAUSE_MS;',
        'now() - (told.get(id)?.time ?? -Infinity) < PAUSE_MS;',
      ),
    ],
    expected: 'liveness',
    needs: ['local-routes', 'mediation', 'clock-jump'],
    world: 'clocks are put right while a channel fills again',
    noticedBy: 'unit/node/announce.test.ts',
  },
  {
    id: 'R42a',
    title: 'The cap on fees drops what the node earns and keeps what it pays.',
    edits: [
      fees(
        'return all.map(({ amount, fee }) => ({ amount, fee: sign(fee) < 0 ? whole(0n) : fee }));',
        'return all.map(({ amount, fee }) => ({ amount, fee: sign(fee) > 0 ? whole(0n) : fee }));',
      ),
    ],
    expected: [5, 7],
    needs: ['mediation', 'imbalance-fees'],
    world: 'a payment balances the channels of a mediator that charges for imbalance',
    noticedBy: 'unit/protocol/fee-guarantees.test.ts',
  },
  {
    id: 'R42b',
    title: 'The node pays whatever fees a way costs.',
    edits: [
      ways("if (!isFeeAcceptable(amount, cost)) return { flaw: 'fee', lockAmount: cost };", ''),
    ],
    expected: [5, 27],
    needs: ['mediation', 'greedy-mediator', 'local-routes'],
    world: 'the only way costs more than a payer gives',
    noticedBy: 'unit/node/usable-routes.test.ts',
  },
  {
    id: 'R42d',
    title: 'The node sends so little more than the amount that the target gets less than it.',
    edits: [
      fees(
        'return amount + estimatedFee + feeMargin(amount, estimatedFee);',
        'return amount + feeMargin(amount, estimatedFee);',
      ),
    ],
    expected: 'liveness',
    needs: ['mediation', 'fees'],
    world: 'a mediator charges for each payment',
    noticedBy: 'unit/protocol/fee-path.test.ts',
  },
  {
    id: 'R43a',
    title: 'The node believes what is announced about channels of another chain.',
    edits: [
      editIn('src/node/routing/hearing.ts')(
        "if (message.type === 'RequestMonitoring' || message.chainId !== chainId) return;",
        "if (message.type === 'RequestMonitoring') return;",
      ),
    ],
    expected: 'liveness',
    needs: ['local-routes', 'mediation', 'foreign-proof'],
    noticedBy: null,
  },
  {
    id: 'R43b',
    title: 'The node pays a path-finding service that serves another chain.',
    edits: [
      editIn('src/node/routing/pathfinding-client.ts')(
        'if (info.chainId !== options.chainId) return',
        'if (info.chainId < 0n) return',
      ),
    ],
    expected: [5, 27],
    needs: ['paid-routes', 'foreign-service'],
    world: 'the path-finding service is of another chain',
    noticedBy: 'unit/node/pathfinding-client.test.ts',
  },
  {
    id: 'R38a',
    title: 'Everybody may make the node repeat all that it knows as often as they say hello.',
    edits: [
      editIn('src/node/messaging/announce.ts')(
        'if (!isAsked || Math.abs(now() - answeredAt) < HELLO_PAUSE_MS) return;',
        'if (!isAsked) return;',
      ),
    ],
    expected: [32],
    needs: ['strangers', 'local-routes'],
    noticedBy: 'unit/node/announce.test.ts',
  },
];
