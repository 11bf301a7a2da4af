/** What the guards and the actions of the node, its token networks and its user deposit mean. */
import type { nodeMachine } from '../../../machines/node/chart.ts';
import type { tokenNetworkMachine } from '../../../machines/token-network/chart.ts';
import type { userDepositMachine } from '../../../machines/user-deposit/chart.ts';
import type { withdrawalMachine } from '../../../machines/user-deposit/withdrawal/chart.ts';
import type { WordsOf } from './names.ts';

const FAILED = 'The transaction failed.';

export const NODE_WORDS = {
  guards: {},
  actions: {
    spawnInitiator: 'Starts the actor of the payment.',
    registerToken: 'Starts the actor of the token’s network, or passes the question on to it.',
    noteTokenNetwork: 'Starts the actor of a token network that appeared on chain, or tells it.',
    operateUserDeposit: 'Passes the order on to the actor of the user deposit.',
    mint: 'Sends the transaction that mints test tokens.',
    answerMint: 'Answers with what became of the mint.',
    refuse: 'Refuses the command with this code.',
    noteSettings: 'Takes over the settings that the process was started with.',
  },
} satisfies WordsOf<typeof nodeMachine>;

export const TOKEN_NETWORK_WORDS = {
  guards: {
    isKnown: 'The token network’s contract is known.',
    isFailed: FAILED,
    isOurs: 'This node is one of the two participants of the channel.',
    canOpen:
      'Partner, timeouts and deposit are acceptable, and no channel with the partner is there or coming.',
    isOpening: 'A channel is being opened.',
    hasOpened: 'No channel is being opened any more.',
    canJoin:
      'The funds, the limits and the gas allow the join, and no other join or leave is on its way.',
    isSameJoin: 'A join with the same funds is on its way.',
    isJoining: 'A join is on its way.',
    isLeaving: 'A leave is on its way.',
    hasJoined: 'No join is on its way any more.',
    hasLeft: 'No leave is on its way any more.',
  },
  actions: {
    submitRegistration: 'Sends the transaction that registers the token.',
    noteAsked: 'Remembers who asked for the registration.',
    refuseRegistration: 'Refuses to register the token with this code.',
    noteSettings: 'Takes over the settings that the process was started with.',
    noteChosen: 'Remembers that the operator uses this token: it is money to this node.',
    noteNetwork: 'Remembers the address of the token network’s contract.',
    replyRegistered: 'Answers who asked with the address of the contract.',
    replyUnregistered: 'Answers who asked that the registration failed.',
    open: 'Sends the transaction that opens a channel, with its deposit.',
    refuseOpen: 'Refuses to open a channel with this code, or with the reason why it cannot be.',
    spawnChannel: 'Starts the actor of a channel of this node that was opened on chain.',
    endJob: 'Ends an opening or a matching deposit, and what waits for it.',
    match: 'Deposits as much as the partner put in, from the free funds of the join.',
    join: 'Opens channels with up to three peers, a fifth of the funds in each.',
    joinAgain: 'Answers this caller with the join that is on its way.',
    refuseJoin: 'Refuses to join with this code, or with the reason why it cannot be.',
    leave: 'Asks every channel to close and waits until all are settled.',
    refuseLeave: 'Refuses to leave: the token has no token network.',
    noteAnswer: 'Notes that a channel closes, or when it is to be asked again.',
    noteSettled: 'Notes that a channel is settled; answers after the last one.',
    closeAgain: 'Asks those channels again that could not be closed.',
  },
} satisfies WordsOf<typeof tokenNetworkMachine>;

export const USER_DEPOSIT_WORDS = {
  guards: {
    isRefused:
      'The order cannot be taken: its amount, the funds, the limits or the plan forbid it.',
    isTo: 'The order is of this kind.',
  },
  actions: {
    notePlan: 'Takes over the plan that the contract holds, if it is another than the known one.',
    payIn: 'Sends the deposit transaction.',
    plan: 'Starts the actor of a planned withdrawal.',
    withdraw: 'Tells the actor of the plan to take the amount out.',
    endDeposit: 'Answers with what became of the deposit.',
    endPlan: 'Remembers the plan that stands in the contract now.',
    endWithdrawal: 'Notes that the plan is used up, or that it still stands.',
    refuse: 'Refuses the order with this code, or with the reason why it cannot be done.',
  },
} satisfies WordsOf<typeof userDepositMachine>;

export const WITHDRAWAL_WORDS = {
  guards: {
    isPlanned: 'The plan stands in the contract already.',
    isFailed: FAILED,
  },
  actions: {
    submitPlan: 'Sends the transaction that plans the withdrawal.',
    submitWithdrawal: 'Sends the transaction that takes the amount out.',
    endPlan: 'Tells the user deposit and the caller what became of the plan.',
    endWithdrawal: 'Tells the user deposit and the caller what became of the withdrawal.',
  },
} satisfies WordsOf<typeof withdrawalMachine>;
