/** Forms that pay, open a channel and make blocks, each with the line for a shell that does the same. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DevnetNodes, PlayNode } from '../../../inspector/devnet-wire.ts';
import { Copy } from '../../../page-parts/copy.tsx';
import { Select } from '../../../page-parts/select.tsx';
import {
  type Asked,
  mineCall,
  openCall,
  type PlayedCall,
  paceCall,
  payCall,
  unitsIn,
} from './calls.ts';
import { NodeChoice } from './node-choice.tsx';
import type { DevnetPlay } from './play.ts';
import { SmallField } from './small-field.tsx';

type FormsProps = {
  play: DevnetPlay;
  nodes: readonly PlayNode[];
  tokens: DevnetNodes['tokens'];
  untilSettled: number | null;
};

/** At once, as the devnet takes them. */
const MOST_BLOCKS = 1_000;

export function PlayForms({ play, nodes, tokens, untilSettled }: FormsProps) {
  const [token] = tokens;
  if (token === undefined || nodes.length === 0) return null;
  return (
    <div class="play-forms">
      <Transfer
        play={play}
        nodes={nodes}
        token={token}
        title="Pay"
        verb="Pay"
        usual="1"
        call={payCall}
      />
      <Transfer
        play={play}
        nodes={nodes}
        token={token}
        title="Open a channel"
        verb="Open"
        usual="100"
        call={openCall}
      />
      <Mine play={play} untilSettled={untilSettled} />
    </div>
  );
}

type Token = DevnetNodes['tokens'][number];

type TransferProps = {
  play: DevnetPlay;
  nodes: readonly PlayNode[];
  token: Token;
  title: string;
  verb: string;
  usual: string;
  call(asked: Asked): PlayedCall;
};

function Transfer({ play, nodes, token, title, verb, usual, call }: TransferProps) {
  const [first, second] = nodes;
  const [fromName, setFrom] = useState(first?.name ?? '');
  const [toName, setTo] = useState(second?.name ?? '');
  const [text, setText] = useState(usual);
  const names = nodes.map(({ name }) => name);
  const [from, to] = [fromName, toName].map((name) => nodes.find((node) => node.name === name));
  const amount = unitsIn(text, token.decimals);
  const problem =
    from === to
      ? 'Choose two different nodes.'
      : amount === null || amount === 0n
        ? `Write an amount of ${token.symbol}, such as 1.5.`
        : null;
  const chosen =
    problem === null && from !== undefined && to !== undefined && amount !== null
      ? call({ from, to, token: token.address, amount, written: `${text.trim()} ${token.symbol}` })
      : null;
  return (
    <PlayForm play={play} title={title} verb={verb} problem={problem} call={chosen}>
      <NodeChoice label="From" value={fromName} names={names} onChoose={setFrom} />
      <NodeChoice
        label={title === 'Pay' ? 'To' : 'With'}
        value={toName}
        names={names}
        onChoose={setTo}
      />
      <SmallField
        label={`${title === 'Pay' ? 'Amount' : 'Deposit'}, ${token.symbol}`}
        value={text}
        onText={setText}
        mode="decimal"
        size={8}
      />
    </PlayForm>
  );
}

const PACES = [
  ['0', 'as usual'],
  ['2', '2 more a second'],
  ['10', '10 more a second'],
] as const;

/** `untilSettled`: blocks until the last of the closed channels can be settled; null: none is closed. */
function Mine({ play, untilSettled }: { play: DevnetPlay; untilSettled: number | null }) {
  const [text, setText] = useState('20');
  const blocks = Number(text);
  const isWrong = !/^\d{1,4}$/.test(text) || blocks < 1 || blocks > MOST_BLOCKS;
  const make = (label: string, count: number | null) => {
    const call = count === null ? null : mineCall(location.origin, `${count}`);
    return (
      <button
        type="button"
        disabled={call === null}
        title={call?.curl ?? 'No channel is closed.'}
        onClick={() => call !== null && void play.run(call)}
      >
        {label}
      </button>
    );
  };
  return (
    <PlayForm
      play={play}
      title={'Make blocks'}
      verb={'Mine'}
      problem={isWrong ? 'Write a number from 1 to 1000.' : null}
      call={isWrong ? null : mineCall(location.origin, text)}
    >
      {make('1 block', 1)}
      {make('10 blocks', 10)}
      {make('Until settled', untilSettled)}
      <SmallField label="Blocks" value={text} onText={setText} mode="numeric" size={4} />
      <label>
        By themselves{' '}
        <Select
          value={`${play.view.value?.pace ?? 0}`}
          options={PACES}
          onChoose={(pace) => void play.run(paceCall(location.origin, pace))}
        />
      </label>
    </PlayForm>
  );
}

type PlayFormProps = {
  play: DevnetPlay;
  title: string;
  verb: string;
  /** Null: the form is not filled in well enough for a call. */
  call: PlayedCall | null;
  problem: string | null;
  children: ComponentChildren;
};

function PlayForm({ play, title, verb, call, problem, children }: PlayFormProps) {
  return (
    <form
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        if (call !== null) void play.run(call);
      }}
    >
      <h3>{title}</h3>
      <p class="play-fields">
        {children}
        <button type="submit" disabled={call === null}>
          {verb}
        </button>
      </p>
      {call === null ? (
        <p class="mark-quiet">{problem}</p>
      ) : (
        <Copy label="command" text={call.curl} shown={call.curl} />
      )}
    </form>
  );
}
