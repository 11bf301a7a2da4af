/** The user deposit, from which path-finding and monitoring services are paid. */
import type { WalletDeposit } from '../../http/wallet.ts';
import { figureOf } from '../../page-parts/figure.ts';
import { AmountList } from '../base/figures.tsx';
import { AmountForm } from '../forms/amount-form.tsx';
import { chainIntent } from '../forms/intents.ts';
import { useConfirm } from '../forms/use-confirm.tsx';
import type { WalletViewProps } from '../state/wallet.ts';
import { blocksText } from '../texts/costs.ts';
import { may } from '../texts/scopes.ts';

export function ServicesView({ wallet, facts }: WalletViewProps) {
  const deposit = facts.userDeposit;
  if (deposit === null)
    return <p>This node has no user deposit, or the chain did not tell what is in it.</p>;
  const { token, balance, totalDeposit, planned, ownTokens } = deposit;
  const figures = [
    ['In the deposit', balance, 'user_deposit/balance'],
    ['Paid in, in all', totalDeposit, 'user_deposit/total_deposit'],
    ['Planned to be taken out', planned, 'user_deposit/planned'],
    ['You have on chain', ownTokens, `token:${token}/on_chain`],
  ] as const;
  return (
    <>
      <p>Services that find paths and watch channels are paid from it.</p>
      <AmountList rows={figures} token={token} kind="card" />
      {may(facts.scope, 'admin') ? (
        <Forms {...{ wallet, facts, deposit }} />
      ) : (
        <p>This token may not change the user deposit: that needs one with the scope admin.</p>
      )}
    </>
  );
}

function Forms({ wallet, facts, deposit }: WalletViewProps & { deposit: WalletDeposit }) {
  const { dialog, confirm } = useConfirm(wallet);
  const { token } = deposit;
  const planned = BigInt(deposit.planned);
  const left = BigInt(deposit.withdrawBlock) - BigInt(facts.block);
  const delay = blocksText(BigInt(deposit.withdrawDelay), facts.blockSeconds);
  return (
    <>
      <AmountForm
        {...{ wallet, facts, token }}
        verb="Deposit"
        intentOf={(added) => {
          const total = `${BigInt(deposit.totalDeposit) + added}`;
          return chainIntent({ kind: 'userDeposit', token, total, added: `${added}` }, facts);
        }}
      />
      <AmountForm
        {...{ wallet, facts, token }}
        verb="Plan to take out"
        hint={`It can be taken out after ${delay}. A new plan is in place of the one before.`}
        intentOf={(amount) =>
          chainIntent({ kind: 'userDepositPlan', token, amount: `${amount}` }, facts)
        }
      />
      <p class="buttons">
        <button
          type="button"
          disabled={planned === 0n || left > 0n}
          onClick={() =>
            confirm(
              chainIntent({ kind: 'userDepositWithdraw', token, amount: `${planned}` }, facts),
            )
          }
        >
          Take out what is planned …
        </button>
        <span class="hint">
          {planned > 0n && left > 0n && (
            <>
              It can be taken out from block{' '}
              <span
                {...figureOf({
                  of: 'user_deposit/withdraw_block',
                  value: deposit.withdrawBlock,
                  unit: 'block',
                })}
              >
                #{deposit.withdrawBlock}
              </span>{' '}
              on, in {blocksText(left, facts.blockSeconds)}.
            </>
          )}
        </span>
      </p>
      {dialog}
    </>
  );
}
