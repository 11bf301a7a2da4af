/** The commands of the user deposit: the chain is read, the actor decides, the caller gets its answer. */
import type { ReplyKind, ReplyOf } from '../../../machines/effects.ts';
import type { UserDepositFacts, UserDepositOrder } from '../../../machines/events/commands.ts';
import type { UserDepositContext } from '../../../machines/user-deposit/context.ts';
import type { Address } from '../../basics/hex.ts';
import type { Result } from '../../protocol/codes.ts';
import { failure } from '../../protocol/codes.ts';
import type { Call } from '../runtime/knowledge/calls.ts';
import type { NodeApi } from './api.ts';
import { type CommandContext, createAsk, newCall } from './commands.ts';

type Context = Pick<CommandContext, 'settings' | 'own' | 'reads' | 'questions' | 'begin'> & {
  /** What the user deposit's actor knows; null before the first use. */
  userDeposit(): UserDepositContext | null;
};
type Commands = Pick<
  NodeApi,
  'depositToUserDeposit' | 'planUserDepositWithdraw' | 'withdrawUserDeposit'
>;

/** How often the facts are read: behind one URL several endpoints may answer in turn, not all with the newest block. */
const TRIES = 5;
const NOT_CONFIGURED = 'This node was started without the address of a user-deposit contract.';

export function createUserDeposit(context: Context): Commands {
  const { settings, own, reads, questions } = context;
  const ask = createAsk(context);

  /** The answer to the same order if one is already on its way, also from before a restart. */
  function sameOrder<K extends ReplyKind>(
    { kind, amount }: UserDepositOrder,
    answered: K,
    call: Call,
  ): Promise<Result<ReplyOf<K>>> | null {
    const pending = context.userDeposit()?.pending;
    const isSame = pending?.order.kind === kind && pending.order.amount === amount;
    if (!isSame) return null;
    const { requestId } = pending;
    context.begin(call, { delivery: null, requestId, paymentId: null });
    return questions.wait(requestId, answered);
  }

  /** What the contract holds now, at a block that includes this node's own changes to it. */
  async function factsOf(contract: Address): Promise<Result<UserDepositFacts>> {
    for (let tried = 0; tried < TRIES; tried++) {
      const facts = await reads.userDeposit(contract, own);
      const changedBlock = context.userDeposit()?.changedBlock ?? 0n;
      if (!facts.ok || facts.value.block >= changedBlock) return facts;
    }
    return failure('chain_unavailable', 'The endpoint is behind what is confirmed.');
  }

  /** `answered`: the kind of the answer. */
  async function operate<K extends ReplyKind>(
    order: UserDepositOrder,
    answered: K,
    call: Call,
  ): Promise<Result<ReplyOf<K>>> {
    const contract = settings.contracts.userDepositAddress;
    if (contract === null) return failure('no_user_deposit', NOT_CONFIGURED);
    const before = sameOrder(order, answered, call);
    if (before !== null) return before;
    const facts = await factsOf(contract);
    if (!facts.ok) return facts;
    // Nothing may be awaited from here on: another call may have given the same order meanwhile.
    const given = { order, facts: facts.value };
    const asked = (requestId: string) =>
      ({ type: 'cmd.userDeposit', requestId, ...given }) as const;
    return sameOrder(order, answered, call) ?? ask('node', answered, asked, call);
  }

  async function transact(order: UserDepositOrder, call: Call = newCall()) {
    const answer = await operate(order, 'transaction', call);
    if (!answer.ok) return answer;
    const { transactionHash } = answer.value;
    return { ok: true, value: { transactionHash } } as const;
  }

  return {
    depositToUserDeposit: (amount, call) => transact({ kind: 'deposit', amount }, call),
    async planUserDepositWithdraw(amount, call = newCall()) {
      const answer = await operate({ kind: 'plan', amount }, 'withdrawPlan', call);
      if (!answer.ok) return answer;
      const { transactionHash, withdrawBlock: plannedWithdrawBlock } = answer.value;
      return { ok: true, value: { transactionHash, plannedWithdrawBlock } };
    },
    withdrawUserDeposit: (amount, call) => transact({ kind: 'withdraw', amount }, call),
  };
}
