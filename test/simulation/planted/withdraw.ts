/** Withdrawals from open channels: what is asked for, agreed to, and taken back. */
import { editIn, type PlantedBug } from './patch.ts';

const withdraws = editIn('machines/channel/withdraws.ts');
const consents = editIn('machines/channel/consents.ts');
const closing = editIn('machines/channel/closing.ts');

export const WITHDRAWS: readonly PlantedBug[] = [
  {
    id: 'R27a',
    title: 'The node takes its own withdrawal back while it may still be mined.',
    edits: [
      withdraws(
        'return withdraw !== null && nowBlock >= senderRemovalBlock(withdraw.expiration, confirmations);',
        'return withdraw !== null && nowBlock >= withdraw.expiration - 2n * confirmations;',
      ),
      closing(
        'const lapse = withdraw === null ? null : senderRemovalBlock(withdraw.expiration, confirmations);',
        'const lapse = withdraw === null ? null : withdraw.expiration - 2n * confirmations;',
      ),
    ],
    expected: [2, 17, 30],
    needs: ['withdraw', 'full-blocks'],
    world: 'nobody agrees to a withdrawal',
    noticedBy: 'unit/machines/channel-owed.test.ts',
  },
  {
    id: 'R27b',
    title: 'The node takes its own withdrawal back one block before it may.',
    edits: [
      withdraws(
        'return withdraw !== null && nowBlock >= senderRemovalBlock(withdraw.expiration, confirmations);',
        'return withdraw !== null && nowBlock >= senderRemovalBlock(withdraw.expiration, confirmations) - 1n;',
      ),
      closing(
        'const lapse = withdraw === null ? null : senderRemovalBlock(withdraw.expiration, confirmations);',
        'const lapse = withdraw === null ? null : senderRemovalBlock(withdraw.expiration, confirmations) - 1n;',
      ),
    ],
    expected: [17],
    needs: ['withdraw', 'silent-partner'],
    world: 'nobody agrees to a withdrawal',
    noticedBy: 'unit/machines/channel-withdraw.test.ts',
  },
  {
    id: 'R27c',
    title: 'The node believes that a partner’s withdrawal is over which can still be mined.',
    edits: [
      consents(
        'event.nowBlock >= receiverRemovalBlock(expiration, channel.confirmations)',
        'event.nowBlock >= expiration - 2n * channel.confirmations',
      ),
    ],
    expected: [2, 5, 17],
    needs: ['withdraw-abuse'],
    world: 'a withdrawal is taken back at each block around its expiration',
    noticedBy: 'unit/machines/channel-consent.test.ts',
  },
  {
    id: 'R27d',
    title: 'The node believes one block too early that a partner’s withdrawal is over.',
    edits: [
      consents(
        'event.nowBlock >= receiverRemovalBlock(expiration, channel.confirmations)',
        'event.nowBlock + 1n >= receiverRemovalBlock(expiration, channel.confirmations)',
      ),
    ],
    expected: [17],
    needs: ['withdraw-abuse'],
    world: 'a withdrawal is taken back at each block around its expiration',
    noticedBy: 'unit/machines/channel-consent.test.ts',
  },
  {
    id: 'R27e',
    title: 'A withdrawal to which the partner is silent is never over.',
    edits: [
      closing(
        'return lapse === null ? claimBlock(channel) : earlier(claimBlock(channel), lapse);',
        'return claimBlock(channel);',
      ),
    ],
    expected: 'liveness',
    needs: ['withdraw', 'silent-partner'],
    world: 'nobody agrees to a withdrawal',
    noticedBy: 'unit/machines/channel-withdraw.test.ts',
  },
  {
    id: 'R27f',
    title: 'The node brings a consent on chain for which there is no time left.',
    edits: [
      withdraws(
        'const isInTime = asked.expiration >= event.nowBlock + revealTimeoutInForce(channel);',
        'const isInTime = asked.expiration >= event.nowBlock;',
      ),
    ],
    expected: [17, 26],
    needs: ['withdraw', 'late-consent', 'full-blocks'],
    world: 'a consent to a withdrawal comes late',
    noticedBy: 'unit/machines/channel-withdraw.test.ts',
  },
  {
    id: 'R27g',
    title: 'A withdrawal may be mined in the block of its expiration, which the contract refuses.',
    edits: [withdraws('deadlineBlock: expiration - 1n,', 'deadlineBlock: expiration,')],
    expected: [25, 26],
    needs: ['withdraw', 'late-consent', 'full-blocks'],
    world: 'a partner agrees to a withdrawal',
    noticedBy: 'unit/machines/channel-withdraw.test.ts',
  },
  {
    id: 'R27h',
    title: 'The node agrees to a withdrawal above what the partner has.',
    edits: [consents('added <= distributable(partnerEnd, ownEnd) &&', '')],
    expected: [2, 17, 30],
    needs: ['withdraw-abuse'],
    world: 'a partner asks for more than it has',
    noticedBy: 'unit/machines/channel-consent.test.ts',
  },
  {
    id: 'R27i',
    title: 'The node keeps no amount back for withdrawals that both have agreed to.',
    edits: [
      editIn('src/protocol/channel/channel-end.ts')(
        'return side.deposit - totalWithdraw(side) - side.transferred + other.transferred;',
        'return side.deposit - side.withdrawn - side.transferred + other.transferred;',
      ),
    ],
    expected: [2, 5, 17, 28, 30],
    needs: ['withdraw', 'many-payments'],
    world: 'nobody agrees to a withdrawal',
    noticedBy: 'unit/machines/channel-consent.test.ts',
  },
  {
    id: 'R27j',
    title:
      'The node agrees to a withdrawal without keeping its amount back while the chain still takes it.',
    edits: [
      consents(
        'return nowBlock >= senderRemovalBlock(expiration, confirmations);',
        'return nowBlock + 2n * confirmations >= expiration;',
      ),
    ],
    expected: [2, 5, 17],
    needs: ['withdraw-abuse', 'late-consent'],
    world: 'a partner asks for what runs out at once and pays with it',
    noticedBy: 'unit/machines/channel-consent.test.ts',
  },
  {
    id: 'R27k',
    title: 'Of two requests with one expiration the node may agree to one that it has forgotten.',
    edits: [
      consents(
        'if (message.expiration <= channel.consentHorizon) return false;',
        'if (message.expiration < channel.consentHorizon) return false;',
      ),
    ],
    expected: [17],
    needs: ['withdraw-abuse', 'many-payments'],
    world: 'a partner asks again for what was forgotten',
    noticedBy: null,
  },
  {
    id: 'R27l',
    title: 'The node keeps money back for a withdrawal that is over.',
    edits: [
      withdraws(
        'ownEnd: { ...withoutWithdraw(ownEnd, withdraw), nonce }',
        'ownEnd: { ...ownEnd, nonce }',
      ),
    ],
    expected: [39],
    needs: ['withdraw', 'silent-partner'],
    world: 'nobody agrees to a withdrawal',
    noticedBy: 'unit/machines/channel-withdraw.test.ts',
  },
  {
    id: 'R27m',
    title: 'The node says no more that it withdraws when its partner has a later balance proof.',
    edits: [editIn('src/node/runtime/outbox/outbox.ts')('if (!isProof(one)) continue;', '')],
    expected: [21],
    needs: ['withdraw', 'many-payments'],
    world: 'nobody hears of a withdrawal, and payments go on',
    noticedBy: null,
  },
  {
    id: 'R27n',
    title: 'The node asks for a withdrawal for ever to which its partner has agreed.',
    edits: [
      withdraws(
        "{ type: 'done.message', key: messageKey(channel, asked.nonce) },\n    { type: 'send.processed'",
        "{ type: 'send.processed'",
      ),
    ],
    expected: [21],
    needs: ['withdraw'],
    world: 'a partner agrees to a withdrawal',
    noticedBy: 'unit/machines/channel-withdraw.test.ts',
  },
  {
    id: 'R27o',
    title: 'Of two who ask for one withdrawal only the last is answered.',
    edits: [withdraws('[...withdraw.waiting, event.requestId]', '[event.requestId]')],
    expected: [21],
    needs: ['withdraw'],
    world: 'two ask for one withdrawal',
    noticedBy: 'unit/machines/channel-withdraw.test.ts',
  },
  {
    id: 'R27p',
    title: 'The node keeps money back for a withdrawal of its partner that is over.',
    edits: [
      consents(
        'const partnerEnd = withoutWithdraw(channel.partnerEnd, message);',
        'const { partnerEnd } = channel;',
      ),
    ],
    expected: [39],
    needs: ['withdraw'],
    world: 'a withdrawal is taken back at each block around its expiration',
    noticedBy: 'unit/machines/channel-consent.test.ts',
  },
  {
    id: 'R36c',
    title: 'A partner may have as many withdrawals open as it likes.',
    edits: [consents(' &&\n    partnerEnd.withdraws.length < MAX_OPEN', '')],
    expected: [32],
    needs: ['withdraw-abuse'],
    world: 'a partner asks for one withdrawal after the other',
    noticedBy: 'unit/machines/channel-consent.test.ts',
  },
];
