/** Heights that are one block off, or counted from the wrong one. */
import { editIn, type PlantedBug } from './patch.ts';

const initiatorLock = editIn('machines/initiator/lock.ts');
const mediatorPayee = editIn('machines/mediator/payee.ts');
const mediatorPayer = editIn('machines/mediator/payer.ts');
const expiration = editIn('src/protocol/channel/expiration.ts');
const registering = editIn('machines/base/registering.ts');
const targetSecret = editIn('machines/target/secret.ts');
const schedule = editIn('src/chain/queue/schedule.ts');
const incoming = editIn('machines/channel/incoming.ts');

export const DEADLINES: readonly PlantedBug[] = [
  {
    id: 'R1a',
    title:
      'The node believes that a secret counts that was registered in the block of the expiration.',
    edits: [registering('return at.block < expiration;', 'return at.block <= expiration;')],
    expected: [5, 6, 24, 39],
    needs: ['mediation', 'registers-on-chain', 'late-reveal'],
    world: 'a payee registers around the expiration',
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R1b',
    title: 'The node believes that its own registration counts in the block of the expiration.',
    edits: [
      registering(
        'return ended.ok && ended.minedBlock < expiration;',
        'return ended.ok && ended.minedBlock <= expiration;',
      ),
    ],
    expected: [5, 6, 25, 39],
    needs: ['mediation', 'withheld-unlock', 'full-blocks'],
    world: 'a registration is mined at the expiration',
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R1c',
    title: 'The node lets a partner take its lock back before the expiration is confirmed.',
    edits: [
      incoming(
        'return nowBlock < receiverRemovalBlock(lock.expiration, channel.confirmations)',
        'return nowBlock < lock.expiration - channel.confirmations',
      ),
    ],
    expected: [5, 6, 16],
    needs: ['mediation', 'early-lock-expired', 'withheld-unlock'],
    world: 'a payer takes back at the expiration',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R1t',
    title: 'The node lets a partner take its lock back one block too early.',
    edits: [
      incoming(
        'return nowBlock < receiverRemovalBlock(lock.expiration, channel.confirmations)',
        'return nowBlock + 1n < receiverRemovalBlock(lock.expiration, channel.confirmations)',
      ),
    ],
    expected: [16],
    needs: ['direct-payment', 'early-lock-expired'],
    world: 'a payer takes back a block after the expiration',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
  {
    id: 'R1d',
    title: 'The initiator takes its lock back one block before it may.',
    edits: [
      initiatorLock(
        'wakeBlock: senderRemovalBlock(expiration, confirmations) },',
        'wakeBlock: senderRemovalBlock(expiration, confirmations) - 1n },',
      ),
    ],
    expected: [16],
    needs: ['direct-payment', 'silent-partner'],
    world: 'a payee is silent',
    noticedBy: 'unit/machines/initiator.test.ts',
  },
  {
    id: 'R1e',
    title: 'The mediator takes its lock back one block before it may.',
    edits: [
      mediatorPayee(
        'const payeeBlock = senderRemovalBlock(mediator.expiration, mediator.confirmations);',
        'const payeeBlock = senderRemovalBlock(mediator.expiration, mediator.confirmations) - 1n;',
      ),
    ],
    expected: [16],
    needs: ['mediation', 'silent-partner'],
    world: 'a payee is silent',
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R1f',
    title:
      'The mediator takes its lock back in the block of the expiration, and the payee has claimed it.',
    edits: [
      mediatorPayee(
        'const payeeBlock = senderRemovalBlock(mediator.expiration, mediator.confirmations);',
        'const payeeBlock = mediator.expiration - mediator.confirmations;',
      ),
    ],
    expected: [16, 24],
    needs: ['mediation', 'registers-on-chain', 'late-reveal'],
    world: 'a payee registers around the expiration',
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R1g',
    title: 'A payee waits for an unlock when no more than the reveal timeout is left.',
    edits: [
      expiration(
        'return nowBlock < dangerBlock(expiration, revealTimeout);',
        'return nowBlock <= dangerBlock(expiration, revealTimeout);',
      ),
    ],
    expected: 'margin',
    needs: ['direct-payment', 'late-reveal'],
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R1h',
    title: 'The initiator shows the secret in the block in which its lock expires.',
    edits: [
      initiatorLock(
        'if (expiration === null || nowBlock >= expiration) return false;',
        'if (expiration === null || nowBlock > expiration) return false;',
      ),
    ],
    expected: [15],
    needs: ['direct-payment', 'wrong-secret-request', 'late-reveal'],
    world: 'a target asks at the expiration',
    noticedBy: 'unit/machines/initiator.test.ts',
  },
  {
    id: 'R1i',
    title: 'The initiator pays a lock that expires in this very block.',
    edits: [
      initiatorLock(
        'return event.sender === order.partner && expiration !== null && event.nowBlock < expiration;',
        'return event.sender === order.partner && expiration !== null && event.nowBlock <= expiration;',
      ),
    ],
    expected: 'margin',
    needs: ['mediation', 'late-reveal'],
    noticedBy: 'unit/machines/initiator.test.ts',
  },
  {
    id: 'R1j',
    title: 'The mediator registers a secret in the block of the expiration, in vain.',
    edits: [
      mediatorPayer(
        '({ expiration }, { nowBlock }) => nowBlock < expiration,',
        '({ expiration }, { nowBlock }) => nowBlock <= expiration,',
      ),
    ],
    // Jobs are held against the head once more before they are sent.
    expected: 'margin',
    needs: ['mediation', 'late-reveal'],
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R1k',
    title: 'The target registers a secret in the block of the expiration, in vain.',
    edits: [
      targetSecret(
        '({ expiration }, { nowBlock }) => nowBlock < expiration,',
        '({ expiration }, { nowBlock }) => nowBlock <= expiration,',
      ),
    ],
    // Jobs are held against the head once more before they are sent.
    expected: 'margin',
    needs: ['direct-payment', 'withheld-unlock', 'sleep'],
    noticedBy: 'unit/machines/target.test.ts',
  },
  {
    id: 'R1l',
    title: 'A registration counts as good when it is mined in the block of the expiration.',
    edits: [
      registering(
        'deadlineBlock: expiration - 1n, secret };',
        'deadlineBlock: expiration, secret };',
      ),
    ],
    expected: [26],
    needs: ['mediation', 'withheld-unlock', 'endpoint-errors'],
    world: 'an endpoint comes back just before the expiration',
    noticedBy: 'unit/machines/target.test.ts',
  },
  {
    id: 'R1m',
    title: 'A registration is given up twenty blocks before it is too late.',
    edits: [
      schedule(
        'return headBlock >= (isUnderWay ? deadlineBlock + confirmations + 1n : deadlineBlock);',
        'return headBlock >= (isUnderWay ? deadlineBlock + confirmations + 1n : deadlineBlock - URGENT_BLOCKS);',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['mediation', 'withheld-unlock', 'full-blocks'],
    world: 'a payer withholds unlocks of direct payments',
    noticedBy: 'unit/chain/schedule.test.ts',
  },
  {
    id: 'R1n',
    title: 'A registration is given up one block before it is too late.',
    edits: [
      schedule(
        'return headBlock >= (isUnderWay ? deadlineBlock + confirmations + 1n : deadlineBlock);',
        'return headBlock >= (isUnderWay ? deadlineBlock + confirmations + 1n : deadlineBlock - 1n);',
      ),
    ],
    expected: [5, 6, 25],
    needs: ['mediation', 'withheld-unlock', 'little-gas'],
    world: 'a mediator gets money for gas before the expiration',
    noticedBy: 'unit/chain/schedule.test.ts',
  },
  {
    id: 'R1o',
    title: 'The mediator turns to the chain one block late.',
    edits: [
      mediatorPayer(
        '  dangerBlock(expiration, payer.revealTimeout);',
        '  dangerBlock(expiration, payer.revealTimeout) + 1n;',
      ),
    ],
    expected: 'margin',
    needs: ['mediation', 'withheld-unlock'],
    noticedBy: 'unit/machines/mediator.test.ts',
  },
  {
    id: 'R1p',
    title: 'The target turns to the chain one block late.',
    edits: [
      targetSecret(
        '  dangerBlock(expiration, revealTimeout);',
        '  dangerBlock(expiration, revealTimeout) + 1n;',
      ),
    ],
    expected: 'margin',
    needs: ['direct-payment', 'withheld-unlock'],
    noticedBy: 'unit/machines/reveal-timeout.test.ts',
  },
  {
    id: 'R1q',
    title: 'The target turns to the chain when only a few blocks are left.',
    edits: [
      targetSecret(
        'const unsafeBlock = ({ expiration, revealTimeout }: TargetContext) =>\n  dangerBlock(expiration, revealTimeout);',
        'const unsafeBlock = ({ expiration, confirmations }: TargetContext) =>\n  expiration - confirmations;',
      ),
    ],
    expected: [5, 25],
    needs: ['direct-payment', 'withheld-unlock'],
    world: 'a payer withholds unlocks of direct payments',
    noticedBy: 'unit/machines/reveal-timeout.test.ts',
  },
  {
    id: 'R1r',
    title: 'The target goes on asking for the secret one block longer than its lock can stand.',
    edits: [
      targetSecret(
        'wakeBlock: receiverRemovalBlock(expiration, confirmations) }',
        'wakeBlock: receiverRemovalBlock(expiration, confirmations) + 1n }',
      ),
    ],
    expected: 'margin',
    needs: ['direct-payment', 'silent-partner'],
    noticedBy: 'unit/machines/target.test.ts',
  },
  {
    id: 'R1s',
    title: 'The initiator asks for a lock one block longer than both ends agree on.',
    edits: [
      expiration(
        'return nowBlock + (lockTimeout ?? 2n * revealTimeout) - 1n;',
        'return nowBlock + (lockTimeout ?? 2n * revealTimeout) + 1n;',
      ),
    ],
    expected: [27],
    needs: ['mediation', 'small-settle-timeout'],
    world: 'locks are as long as channels allow',
    noticedBy: 'unit/machines/channel-incoming.test.ts',
  },
];
