/** What the guards and the actions of a channel mean. */
import type { channelMachine } from '../../../machines/channel/chart.ts';
import type { WordsOf } from './names.ts';

export const CHANNEL_WORDS = {
  guards: {
    canLock:
      'The channel’s timeouts are safe and there is room for this lock: amount, number of locks, timeout and secrethash are acceptable.',
    canForward:
      'The transfer may go on through this channel: it is another one than the payer’s, and there is room for the lock that is left after the fee.',
    hasLock: 'This node has a lock with this secrethash in the channel.',
    hasUnsigned: 'Something has changed on this node’s side since it last signed.',
    isUnanswered: 'The channel has the lock for which nobody answers.',
    isAhead: 'The partner proves a signature of this node that the database does not know.',
    isUnknownWithdraw: 'A withdrawal is on chain to which the database knows no consent.',
    isSync: 'The partner says which of this node’s messages it holds, and proves it.',
    isSameDeposit: 'The total deposit is what is asked for already.',
    canDeposit: 'The deposit grows, stays within the limits, and the account holds the tokens.',
    canSetReveal:
      'The reveal timeout leaves time to bring a secret on chain, and is at most half of the settle timeout.',
    isOwnDepositJob: 'It is the deposit transaction of this channel that has ended.',
    hasDeposit: 'A deposit of this node is on its way to the chain.',
    hasNoDeposit: 'No deposit of this node is on its way.',
    isFailedJob: 'It is the newest transaction of this kind that has ended, and it failed.',
    isFailedUnlock: 'It is an unlock that failed.',
    isClaimDue:
      'A secret of the partner stands on chain in time, its lock has run out, and the time to unlock it is over.',
    isUnasked: 'Nobody waits for the close that is on its way.',
    canSettle:
      'The contract settles the channel, and it is this node’s turn: the side that gets more goes first.',
    leavesLocks: 'The settlement left locks in the contract that are worth an unlock by this node.',
    isLastUnlock: 'With this unlock nothing of this node is left in the contract.',
    isSameTotal: 'The total withdrawal is what is asked for already.',
    canWithdraw:
      'The total grows, the balance covers it, the partner is there to agree, and the gas can be paid.',
    isUnderWay: 'The same total is being withdrawn already.',
    hasWithdraw: 'A withdrawal of this node is on its way.',
    hasNoWithdraw: 'No withdrawal of this node is on its way.',
    hasJob: 'The partner has agreed, and the transaction is being sent.',
    isWithdrawJob: 'It is the withdraw transaction of this channel that has ended.',
    isLapsed:
      'The withdrawal expired so long ago that no transaction of it can be on chain any more.',
    isConsent: 'The partner agrees to a withdrawal that this node asked for.',
    isKnownConsent: 'The partner’s consent was taken before; only its acknowledgement was lost.',
    isAgreed: 'This node agreed to this withdrawal before: the partner has not heard it.',
    canAgree: 'The partner’s balance covers its withdrawal, and not too many consents are open.',
    hasExpired: 'The partner’s withdrawal is open here and too old for the chain.',
    isOver: 'The partner’s withdrawal is over here already, by the chain or by its expiry.',
  },
  actions: {
    addLock: 'Adds the lock, which is signed and sent before the batch is written.',
    sign: 'Signs what has changed on this node’s side: one balance proof for all changes, and one Update.',
    refuseLock: 'Tells the payment or the mediator why the channel does not take its lock.',
    forwardLock:
      'Adds the lock that passes the transfer on; it is signed before the batch is written.',
    unlock: 'Pays the lock to the partner; it is told with the next signature.',
    expireLock: 'Takes the expired lock back; the partner is told with the next signature.',
    noteRegistered:
      'Remembers that the secret stands on chain in time: its lock may not expire here.',
    giveKeeper: 'Gives the lock a keeper, which claims or takes back on chain what it can.',
    noteSettings:
      'Goes by the confirmations and reveal timeouts that the node was started with this time.',
    takeUpdate:
      'Takes over all changes of the partner and its balance proof if they follow from what is known, acknowledges them, and tells the payments concerned. An Update that was taken before is acknowledged once more; after a lost one the partner is told which of its messages this node holds; any other is refused.',
    acknowledgeAgain: 'Acknowledges the message once more; nothing else changes.',
    noteStale: 'Alerts the operator: the partner holds a newer signature than this database.',
    noteUnknownWithdraw: 'Takes over the withdrawal from the chain and alerts the operator.',
    noteOldCopy:
      'Alerts the operator: the channel is newer than the accepted copy of the database.',
    answerSync: 'Drops the messages that the partner holds and sends the others again now.',
    sendSync: 'Tells the partner which of its messages this node holds, and asks for the same.',
    noteOrdered: 'Remembers that somebody wants the channel settled, whatever it brings.',
    noteFunded: 'Counts what this node has put into the channel itself.',
    noteDeposit: 'Takes over the total deposit of one side from the chain.',
    noteDepositOnly: 'Takes over the total deposit, and does nothing about it.',
    noteWithdraw:
      'Takes over the total withdrawal of one side from the chain; answers who waits for it.',
    startDeposit: 'Sends the deposit transaction.',
    endDeposit: 'Answers who asked for the deposit with what became of the transaction.',
    setRevealTimeout: 'Changes the reveal timeout and answers.',
    replyChannel: 'Answers with the channel as it is.',
    refuse: 'Refuses the command with this code, or with the reason why it cannot be done.',
    submitClose: 'Sends the close transaction with the newest balance proof of the partner.',
    refuseClose: 'Answers who asked for the close that its transaction failed.',
    closeToClaim:
      'Sends the close transaction by itself: what the partner owes is only paid after a settlement.',
    joinClose: 'Remembers who waits for the close that is on its way by itself.',
    wakeInTime:
      'Wakes up when the own withdrawal runs out, or when what the partner owes is to be claimed.',
    lookLater:
      'Wakes up for what is due next; what is due already, and was not worth its gas, is looked at again later.',
    claimLater: 'Wakes up later to close again, if the partner still owes.',
    noteClosed:
      'Notes which balance proof the close brought, tells the payments, and brings the partner’s newest one where it closed.',
    noteUpdated: 'Notes the balance proof that now counts for the one who closed.',
    submitUpdate:
      'Sends the partner’s newest balance proof again, while the close holds an older one.',
    submitSettle: 'Sends the settle transaction.',
    tryLater: 'Wakes up later to try the failed transaction again.',
    noteSettled: 'Notes which locks are still to be unlocked, and that the channel is settled.',
    notePaid: 'Notes which of the partner’s locks the settled balance proof pays.',
    submitUnlocks: 'Sends the unlock transactions for the locks that are left in the contract.',
    noteUnlocked: 'Notes that one side’s locks are unlocked.',
    tellGone:
      'Drops the messages that wait, and tells the payments and callers that the channel has ended.',
    requestWithdraw: 'Reserves the amount and asks the partner for its consent.',
    joinWithdraw: 'Answers this caller with the withdrawal that is on its way.',
    takeConsent: 'Brings the partner’s consent on chain, if enough time is left.',
    noteFailedWithdraw: 'Remembers why the withdraw transaction failed; the callers wait on.',
    expireWithdraw: 'Takes the reserved amount back and tells the partner and whoever waits.',
    agree: 'Reserves the partner’s amount here too and sends the signed consent.',
    agreeAgain: 'Sends the same consent once more.',
    noteExpired: 'Takes back what was reserved for the partner’s withdrawal, and acknowledges it.',
  },
} satisfies WordsOf<typeof channelMachine>;
