/**
 * What has cost other payment channel networks money, or their users hours, each with the tests that keep
 * it away here. A test that gets another title has to get it here, too.
 */

/** Titles of tests, by their file below `test/`. */
type Shown = Record<string, readonly string[]>;

export const REGRESSIONS: Record<string, { defect: string; shown: Shown }> = {
  R1: {
    defect: 'a deadline that is taken one block too early or too late',
    shown: {
      'unit/machines/target.test.ts': [
        'at block %d is %s',
        'that was mined at block %d is too late',
        'one block too late does not count for one that is %s',
      ],
      'unit/machines/channel-incoming.test.ts': [
        'is not believed at block %d',
        'counts at block %d',
      ],
      'contracts/unlocking.test.ts': [
        'counts a secret registered one block before the expiration',
        'does not count a secret registered in the block of the expiration',
      ],
    },
  },
  R2: {
    defect: 'a lock that outlives the settlement of the channel that pays for it',
    shown: {
      'unit/machines/channel-locks.test.ts': ['only beyond the last one that fits'],
      'unit/machines/mediator.test.ts': ['with %s left is passed on or not'],
    },
  },
  R3: {
    defect: 'a proof that is good in a reopened channel, another network or on another chain',
    shown: {
      'contracts/replay.test.ts': [
        'does not close',
        'does not update',
        'does not withdraw',
        'does not settle cooperatively',
        'does nothing under its old identifier',
      ],
      'unit/machines/channel-incoming.test.ts': ['%s is refused'],
    },
  },
  R4: {
    defect: 'a signature for one message that is valid for another',
    shown: {
      'unit/protocol/signature-matrix.test.ts': ['for a %s is one for nothing else'],
      'contracts/closing.test.ts': ['wants the signatures of both, each in its place'],
    },
  },
  R5: {
    defect: 'a partner that closes with an old proof',
    shown: {
      'stories/stale-close.test.ts': [
        'leaves the other side what its newest one says, also with number %i',
      ],
      'unit/machines/channel-unlocks.test.ts': [
        'come from the locks of the proof on chain, whatever was signed since',
      ],
    },
  },
  R6: {
    defect: "an update after the partner's close that is sent twice, or dies",
    shown: {
      'stories/crash-dispute.test.ts': [
        'gets what it is owed, once, though it dies at %s over and over',
      ],
      'simulation/regressions.test.ts': [
        'is answered with one update, also when the other end dies over it',
      ],
    },
  },
  R7: {
    defect: 'a registration of a secret that somebody copies out of the pool',
    shown: {
      'stories/front-run.test.ts': [
        'that somebody copies and overtakes pays the payee once, and keeps nobody from going on',
      ],
      'unit/machines/target.test.ts': ['is the only one that is needed when somebody was faster'],
    },
  },
  R8: {
    defect: 'a transaction for a secret that earns nothing',
    shown: {
      'unit/machines/target.test.ts': [
        'that never comes costs no transaction',
        'is not registered in vain at block %d',
      ],
      'simulation/regressions.test.ts': [
        'pays no gas for a secret of a transfer that did not go on',
      ],
      'unit/machines/mediator.test.ts': [
        'that never went on is not worth a transaction, whoever shows the secret',
      ],
    },
  },
  R9: {
    defect: 'more locks than an unlock can carry',
    shown: {
      'stories/many-locks.test.ts': [
        'pays on chain what is claimed in time and gives the rest back',
      ],
      'unit/machines/channel-incoming.test.ts': ['may fill the 160th place, and not one more'],
    },
  },
  R10: {
    defect: 'amounts that overflow in a deposit or a settlement',
    shown: {
      'contracts/settlement.test.ts': ['agrees with the model in 12,000 random channels'],
      'contracts/withdrawing.test.ts': ['leaves no room for deposits whose sum would overflow'],
      'contracts/unlocking.test.ts': ['does not fail on locks whose sum overflows'],
      'unit/machines/channel-incoming.test.ts': ['may not lead beyond 256 bits'],
    },
  },
  R11: {
    defect: 'whole numbers that JSON or the database rounds',
    shown: {
      'unit/http/json.test.ts': ['keeps every digit of the identifier %s'],
      'unit/protocol/amount.test.ts': ['reads what a bigint writes'],
      'unit/protocol/message-codec.test.ts': ['of $name is written as it was read'],
    },
  },
  R12: {
    defect: 'a secret of zeros',
    shown: {
      'unit/machines/payment-order.test.ts': ['is refused with %s'],
    },
  },
  R13: {
    defect: 'a second form of a signature',
    shown: {
      'unit/signer/ecdsa.test.ts': ['refuses the second form of a signature that anybody can make'],
      'unit/protocol/message-codec.test.ts': ['that ends in %s is refused'],
    },
  },
  R14: {
    defect: 'a message that nobody knows, or nobody can read, that ends the process',
    shown: {
      'stories/stranger.test.ts': [
        'goes on paying after a stranger said all of this, well-formed and not',
      ],
      'unit/protocol/codec-properties.ts': [
        'never throws on bytes',
        'never throws when bytes of a message are changed, cut off or repeated',
      ],
    },
  },
  R15: {
    defect: 'acting on blocks that are taken back',
    shown: {
      'integration/chain-watcher.test.ts': [
        'delivers a block only when enough blocks stand on it',
        'stops, once, when a block that it delivered is replaced',
      ],
      'integration/chain-transactions.test.ts': [
        'that a reorganisation takes back is sent again, and its end is told again',
      ],
      'unit/node/jobs.test.ts': [
        'waits when a reorganisation took it back, or left it without effect',
      ],
    },
  },
  R16: {
    defect: 'logs that are missed when the process dies while it reads them',
    shown: {
      'integration/chain-watcher.test.ts': [
        'goes on in the next process where the last one was stopped or failed',
      ],
      'integration/store.test.ts': [
        'loses no batch that it had committed, and leaves none in part',
      ],
    },
  },
  R17: {
    defect: 'a transaction that is repeated or forgotten after a restart',
    shown: {
      'integration/chain-transactions.test.ts': [
        'before it sent anything repeats the very same transaction',
        'with a deadline survives errors that nobody knows',
      ],
      'integration/crash-chain.test.ts': [
        'opens, deposits, closes and settles once though it dies at %s of each',
      ],
    },
  },
  R18: {
    defect: 'two transactions with one nonce of the account',
    shown: {
      'integration/chain-transactions.test.ts': [
        'share the nonces of the account without a gap or a repetition',
        'go on beside transactions that somebody else sends from the same account',
      ],
    },
  },
  R19: {
    defect: 'gas money that calls at the same time promise twice',
    shown: {
      'integration/chain-transactions.test.ts': [
        'that is short ends a job before anything of it is sent',
        'that only others under way hold back is waited for',
      ],
    },
  },
  R20: {
    defect: 'one identifier for two payments',
    shown: {
      'unit/machines/payment-order.test.ts': [
        'that comes again while it is on its way is the same payment',
        'that comes again with another amount is refused',
      ],
      'integration/bad-input-state.test.ts': [
        'is refused for another payment, and joins the same one',
      ],
    },
  },
  R21: {
    defect: 'a payment that is never answered',
    shown: {
      'simulation/runs.test.ts': [
        'never take anything from an honest node, and everything in them ends',
      ],
      'charts/payment-charts.test.ts': [
        'answers its caller once, when it ends, unless another attempt does',
      ],
      'simulation/regressions.test.ts': [
        'to a silent partner is answered when its lock has run out',
      ],
    },
  },
  R22: {
    defect: 'a payment that is forgotten while its lock still stands',
    shown: {
      'simulation/regressions.test.ts': [
        'whose partner was away until long after its lock leaves the channel usable',
      ],
      'stories/life-silence.test.ts': [
        'fails when the partner is silent until the lock has run out, and keeps no other from being made',
      ],
      'simulation/runs.test.ts': [
        'never take anything from an honest node, and everything in them ends',
      ],
    },
  },
  R23: {
    defect: 'a payment that is made again after a restart',
    shown: {
      'integration/crash-payment.test.ts': ['ends once when %s dies at %s, whichever time'],
      'simulation/crash-points.test.ts': [
        'at any point loses nothing, and ends what it began: %s, on a disk that has its writes %s',
        'after a commit of a payment, and again after one of its recovery, ends it once',
      ],
    },
  },
  R24: {
    defect: 'a payment that is called failed while it can still be claimed',
    shown: {
      'charts/payment-charts.test.ts': [
        'counts as paid exactly when its channel is told to unlock',
      ],
      'unit/machines/initiator.test.ts': ['fails the payment when the lock has run out'],
      'unit/machines/mediator.test.ts': [
        'can claim until the expiration, and the mediator lives as long',
      ],
    },
  },
  R25: {
    defect: 'a secret on chain that nobody makes use of',
    shown: {
      'simulation/regressions.test.ts': [
        'whose payer goes silent after the secret is claimed on chain and unlocked later',
        'that paid the target is paid on chain by an initiator that stays silent',
      ],
      'unit/machines/channel-unlocks.test.ts': [
        'a secret that is registered after the close counts too',
      ],
      'unit/machines/mediator.test.ts': ['and that claims on chain gives the secret to the payer'],
    },
  },
  R26: {
    defect: 'one end of a payment that is recorded twice',
    shown: {
      'simulation/regressions.test.ts': [
        'is on record once although every message comes many times',
      ],
      'unit/machines/channel-incoming.test.ts': ['is recorded once'],
    },
  },
  R27: {
    defect: 'a withdraw that blocks tokens, or is mined after it was given up',
    shown: {
      'unit/machines/channel-withdraw.test.ts': [
        'is its expiry, and never before there can be no log any more',
        'still takes the consent that comes after it',
      ],
      'stories/withdraw.test.ts': [
        'to which the partner is silent is over when it can no longer be on chain',
      ],
      'contracts/withdrawing.test.ts': ['works in the block before the expiration and not in it'],
    },
  },
  R28: {
    defect: 'a balance that counts what is locked',
    shown: {
      'unit/machines/channel-locks.test.ts': [
        'leaves out what is locked',
        'does not count what the partner has only locked',
      ],
    },
  },
  R29: {
    defect: 'two processes with one key',
    shown: {
      'integration/life-rivals.test.ts': [
        'with the same key and the same database is refused',
        'with the same key on another machine is silent before it has signed against the first',
      ],
    },
  },
  R30: {
    defect: 'an old copy of the database, or a partner that only says so',
    shown: {
      'unit/machines/channel-sync.test.ts': [
        'is found by the proof of a nonce that was never signed here',
        'is ignored when it %s',
      ],
      'integration/backup.test.ts': [
        'can be gone on with to close its channels, and signs no payment',
      ],
    },
  },
  R31: {
    defect: 'two things with one identifier',
    shown: {
      'unit/node/outbox.test.ts': [
        'gives no two messages that wait the same identifier, whatever is drawn',
      ],
      'unit/machines/target-channel.test.ts': ['ends by an unlock of its own channel'],
      'contracts/replay.test.ts': ['does not close'],
    },
  },
};
