/** What a person may do to a channel: deposit into it, take out of it, and close it, from either side. */
import { useState } from 'preact/hooks';
import { closeCall, depositCall, type PlayedSide, unitsIn, withdrawCall } from './calls.ts';
import { NodeChoice } from './node-choice.tsx';
import type { DevnetPlay } from './play.ts';
import { SmallField } from './small-field.tsx';

/** A node for which the channel is open; `deposit` and `withdrawn`: its totals until now. */
export type OpenSide = { node: string; partner: string; deposit: bigint; withdrawn: bigint };
type FormProps = {
  play: DevnetPlay;
  token: string;
  symbol: string;
  decimals: number;
  sides: readonly OpenSide[];
};

export function ChannelForm({ play, token, symbol, decimals, sides }: FormProps) {
  const [name, choose] = useState('');
  const [text, setText] = useState('10');
  const side = sides.find(({ node }) => node === name) ?? sides[0];
  const from = play.view.value?.nodes.find((node) => node.name === side?.node);
  if (side === undefined || from === undefined) return null;
  const of = { from, partner: side.partner, token };
  const amount = unitsIn(text, decimals);
  const isWrong = amount === null || amount === 0n;
  const names = sides.map(({ node }) => node);
  const calls = {
    ...(isWrong ? {} : callsWith(of, side, amount, `${text.trim()} ${symbol}`)),
    Close: closeCall(of),
  };
  return (
    <form aria-label="This channel" onSubmit={(event) => event.preventDefault()}>
      <p class="play-fields">
        <NodeChoice label="As" value={side.node} names={names} onChoose={choose} />
        <SmallField
          label={`Amount, ${symbol}`}
          value={text}
          onText={setText}
          mode="decimal"
          size={8}
        />
        {Object.entries(calls).map(([verb, call]) => (
          <button key={verb} type="button" title={call.curl} onClick={() => void play.run(call)}>
            {verb}
          </button>
        ))}
      </p>
      {isWrong && <p class="mark-quiet">Write an amount of {symbol}, such as 1.5.</p>}
    </form>
  );
}

/** With totals, as the API takes them: what is pressed twice before the first is done is done once. */
function callsWith(of: PlayedSide, side: OpenSide, amount: bigint, written: string) {
  return {
    Deposit: depositCall(of, side.deposit + amount, written),
    Withdraw: withdrawCall(of, side.withdrawn + amount, written),
  };
}
