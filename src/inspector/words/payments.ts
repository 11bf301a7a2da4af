/** What the guards and the actions of payments mean: sent, passed on, received. */
import type { initiatorMachine } from '../../../machines/initiator/chart.ts';
import type { mediatorMachine } from '../../../machines/mediator/chart.ts';
import type { targetMachine } from '../../../machines/target/chart.ts';
import type { WordsOf } from './names.ts';

const IN_TIME = 'The secret was registered on chain before the lock expires.';
const BEFORE_EXPIRATION = 'The lock has not expired at this block.';
const MINED_IN_TIME =
  'The transaction was mined before the lock expires: the secret stands on chain.';
const FAILED = 'The transaction failed.';

export const INITIATOR_WORDS = {
  guards: {
    isFromTarget: 'The target of the payment asks.',
    isFitting:
      'The target asks for exactly this payment while its lock stands, and nothing wrong was asked before.',
    isPayable: 'The first hop shows the secret before the lock expires.',
    isInTime: IN_TIME,
    isOwnChannel: 'It is the channel that holds the lock of this attempt.',
    isRefundWithNextAttempt:
      'It is the channel of this attempt, and another route with another secret is left.',
    hasNextAttempt: 'Another route with another secret is left.',
    hasSentSecret: 'The lock carries the secret, sealed for the target.',
    hasAlternative: 'Another route is left.',
  },
  actions: {
    askForLock: 'Asks the channel to the first hop for a lock.',
    noteLock: 'Remembers when the lock expires, and wakes up when it may be removed.',
    noteSpoilt: 'Keeps the secret for good: the request of the target did not fit.',
    noteRefunded: 'Keeps the secret for good: the first hop gave the payment back.',
    retryWithNextRoute: 'Takes the next route with the same secret: no lock was made.',
    spawnNextAttempt: 'Starts the next attempt, with another route and another secret.',
    sendReveal: 'Sends the secret to the target, which alone may ask for it.',
    stopRevealing: 'Stops sending the secret.',
    pay: 'Has the channel unlock the lock, records the payment and answers.',
    unlock: 'Has the channel unlock the lock.',
    expireLock: 'Has the channel take the expired lock out.',
    tellRegistered: 'Tells the channel that the secret stands on chain in time.',
    failRefused: 'Records that the channel refused the lock, and answers.',
    failExpired: 'Records that the lock expired before it was claimed, and answers.',
    failClosed: 'Records that the channel was closed before its lock was claimed, and answers.',
  },
} satisfies WordsOf<typeof initiatorMachine>;

export const MEDIATOR_WORDS = {
  guards: {
    canBegin:
      'The payer’s lock leaves time to register the secret, and ends before its channel can be settled.',
    canForward:
      'At this block the payer’s lock still leaves time to register the secret, and ends before its channel can be settled.',
    isForwarded: 'The transfer has gone on to the payee.',
    isUnknown: 'The secret is not known yet.',
    isPayable:
      'More blocks than the reveal timeout are left to wait for the payer’s unlock, and the secret is not late, or one of the few late ones that are paid for.',
    isBeforeExpiration: BEFORE_EXPIRATION,
    isFromPayer: 'It is the payer’s channel.',
    isFromPayee: 'It is the payee’s channel.',
    isSecretKnown: 'The secret is known, by this event or from before.',
    isInTime: IN_TIME,
    isFailed: FAILED,
    isMinedInTime: MINED_IN_TIME,
    isPayerDue: 'The block has come at which something is due on the payer’s side.',
    isPayeeDue: 'The block has come at which something is due on the payee’s side.',
  },
  actions: {
    askFirstHop: 'Asks the channel to the first possible hop to pass the transfer on.',
    askNextHop:
      'Asks the channel to the next possible hop; after the last one, all again at the next block.',
    noteForwarded:
      'Remembers to whom and how much was passed on, and when that lock may be removed.',
    noteSettings:
      'Goes by the confirmations that the node was started with this time: more of them leave less time.',
    noteRefunded: 'Remembers that the payee gave the transfer back.',
    learn: 'Remembers the secret.',
    noteLate: 'Counts the payment if its secret was shown late.',
    awaitUnlock: 'Passes the secret back to the payer and wakes up when waiting gets dangerous.',
    passBack: 'Passes the secret back to the payer, until it unlocks.',
    register: 'Sends the transaction that registers the secret on chain.',
    tryNextBlock: 'Wakes up at the next block to try again.',
    awaitPayer: 'Tells the payer’s channel that the secret stands on chain in time.',
    restPayer: 'Nothing more is due on the payer’s side: stops sending it the secret.',
    notePaidIn: 'Notes that the payer paid; the fee is recorded once both sides are.',
    tellPayeeChannel: 'Tells the payee’s channel that the secret stands on chain in time.',
    unlockPayee: 'Has the payee’s channel unlock the lock.',
    notePaidOut: 'Notes that the payee is paid; the fee is recorded once both sides are.',
    watchPayee: 'Wakes up when the payee can no longer claim the lock on chain.',
    expirePayee: 'Has the payee’s channel take the expired lock out.',
    restPayee: 'Nothing more is due on the payee’s side.',
  },
} satisfies WordsOf<typeof mediatorMachine>;

export const TARGET_WORDS = {
  guards: {
    hasSecret: 'The initiator sent the secret with the lock.',
    isFromOther: 'The initiator is another node, which can be asked for the secret.',
    isSafe:
      'When the transfer arrived, more blocks than the reveal timeout were left until its lock expires.',
    isStillSafe:
      'More blocks than the reveal timeout are left until the lock expires, and the node answers for a claim on chain.',
    isOwnChannel: 'It is the channel that holds the lock.',
    isBeforeExpiration: BEFORE_EXPIRATION,
    isInTime: IN_TIME,
    isFailed: FAILED,
    isMinedInTime: MINED_IN_TIME,
  },
  actions: {
    sendRequest: 'Asks the initiator for the secret, until it comes.',
    wakeAtExpiration: 'Wakes up when the lock has expired for good.',
    learn:
      'Remembers the secret, passes it back to the payer and wakes up when waiting gets dangerous.',
    useSecret:
      'Passes the secret that came with the lock back to the payer, and wakes up when waiting gets dangerous.',
    learnQuietly: 'Remembers the secret and tells nobody: no unlock can come any more.',
    noteSettings:
      'Goes by the confirmations that the node was started with this time: more of them leave less time.',
    wakeAtDanger: 'Wakes up when waiting for the unlock gets dangerous.',
    learnFromChain: 'Remembers the secret from the chain and tells the channel.',
    tellRegistered: 'Tells the channel that the secret stands on chain in time.',
    passBack: 'Passes the secret back to the payer, until it unlocks.',
    register: 'Sends the transaction that registers the secret on chain.',
    tryNextBlock: 'Wakes up at the next block to try again.',
    fallSilent: 'Stops asking for the secret and passing it back.',
    noteReceived: 'Records the payment and stops sending its messages.',
  },
} satisfies WordsOf<typeof targetMachine>;
