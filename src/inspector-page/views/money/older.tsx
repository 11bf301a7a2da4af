/** What a settlement would pay: with the newest balance proofs, and with an older one of either side. */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { InspectorSource } from '../../../inspector/source.ts';
import type { Money, Payout } from '../../../inspector/wire.ts';
import { AmountCell, AmountText } from '../../../page-parts/amount.tsx';
import { percentOf } from '../../../page-parts/digits.ts';
import { barOf } from '../../../page-parts/figure.ts';
import { tokenUnit } from '../../../page-parts/labels.ts';
import { TableHead } from '../../../page-parts/table-head.tsx';
import { VERDICTS, type WhatIf, whatIf } from './bars.ts';
import { createProofList, type ProofList, type ProofSide } from './proofs.ts';

type Props = {
  money: Money;
  token: string | null;
  actor: string;
  source: InspectorSource;
  /** Once the channel is closed, only the balance proofs on chain count. */
  isOpen: boolean;
};

export function OlderProofs({ isOpen, ...props }: Props) {
  return isOpen ? <WhatIfs {...props} /> : <Settlement {...props} />;
}

function Settlement({ money, token, actor }: Pick<Props, 'money' | 'token' | 'actor'>) {
  return (
    <div class="pane">
      <header>
        <h2>What the settlement pays, with the newest proofs</h2>
      </header>
      <Payouts of={actor} now={money.closedNow} line={null} side="own" token={token} />
    </div>
  );
}

function WhatIfs({ money, token, actor, source }: Omit<Props, 'isOpen'>) {
  const list = useMemo(() => createProofList(source, actor), [source, actor]);
  const side = useMemo(() => signal<ProofSide>('own'), []);
  const chosen = useMemo(() => signal<bigint | null>(null), []);
  const { own, partner, closedNow } = money;
  // Every message of either side and every deposit or withdrawal changes what an older proof pays.
  const version = [own, partner]
    .map((one) => `${one.nonce} ${one.deposit} ${one.withdrawn}`)
    .join();
  useEffect(() => void list.refresh(side.value), [list, side.value, version]);

  const found = list.proofs.value.filter((proof) => proof.side === side.value);
  const lines = found.map((proof) => whatIf(proof, closedNow));
  const line = lines.find(({ nonce }) => nonce === chosen.value) ?? lines[0];
  const choose = (nonce: bigint) => {
    chosen.value = nonce;
  };
  return (
    <div class="pane">
      <header>
        <h2>If the channel were closed now</h2>
        <SideChoice
          side={side.value}
          onChoose={(next) => {
            side.value = next;
            chosen.value = null;
          }}
        />
      </header>
      <Payouts of={actor} now={closedNow} line={line ?? null} side={side.value} token={token} />
      {line === undefined ? (
        <p class="mark-quiet">
          {list.problem.value ?? 'There is no balance proof of this side yet: it has paid nothing.'}
        </p>
      ) : (
        <>
          <Scrubber lines={lines} line={line} choose={choose} />
          <ProofTable of={actor} lines={lines} line={line} choose={choose} token={token} />
          <More list={list} side={side.value} count={lines.length} />
        </>
      )}
    </div>
  );
}

function SideChoice({ side, onChoose }: { side: ProofSide; onChoose(side: ProofSide): void }) {
  const sides = [
    ['own', 'with an older proof of ours'],
    ['partner', 'with an older proof of the partner'],
  ] as const;
  return (
    <fieldset class="choice">
      <legend class="unseen">Whose proof is an older one</legend>
      {sides.map(([value, label]) => (
        <label key={value}>
          <input
            type="radio"
            name="proof-side"
            checked={side === value}
            onChange={() => onChoose(value)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

/** `of`: the settlement, as its figures claim it. */
type Of = { of: string; token: string | null };
/** The settlement with this older proof. */
const older = (of: string, { side, nonce }: WhatIf) => `${of}/proof.${side}.${nonce}`;

type PayoutsProps = Of & { now: Payout; line: WhatIf | null; side: ProofSide };

function Payouts({ of, now, line, side, token }: PayoutsProps) {
  const closer = side === 'own' ? 'the partner' : 'this node';
  const whose = side === 'own' ? 'our' : "the partner's";
  return (
    <div class="pane-wide">
      <table class="exact payouts">
        <thead>
          <tr>
            <th>Settled with</th>
            <th class="payout-track">
              <span class="unseen">Shares</span>
            </th>
            <th class="number">This node gets</th>
            <th class="number">Partner gets</th>
            <th
              class="number"
              title="Unlocked after the settlement, by whoever can show the secret"
            >
              Kept for locks
            </th>
          </tr>
        </thead>
        <tbody>
          <PayoutRow of={`${of}/closed`} name="the newest proofs" payout={now} token={token} />
          {line !== null && (
            <PayoutRow
              of={older(of, line)}
              name={`${whose} proof ${line.nonce}`}
              payout={line.payout}
              token={token}
            />
          )}
        </tbody>
      </table>
      {line !== null && (
        <p class="verdict" aria-live="polite">
          If {closer} closed with {whose} proof {line.nonce.toString()} and nothing newer came, this
          node would get{' '}
          <AmountText value={line.payout.own} token={token} of={`${older(of, line)}.own`} />:{' '}
          <Verdict of={older(of, line)} line={line} token={token} />.
        </p>
      )}
    </div>
  );
}

function PayoutRow({ of, name, payout, token }: Of & { name: string; payout: Payout }) {
  const { own, partner, ownLocks, partnerLocks } = payout;
  const locks = ownLocks + partnerLocks;
  const all = own + partner + locks;
  const unit = tokenUnit(token);
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="payout-track" aria-hidden="true">
        <div class="payout-bar" data-track="">
          <span
            class="part part-free"
            style={{ left: 0, width: percentOf(own, all) }}
            {...barOf({ of: `${of}.own`, value: own, unit }, all)}
          />
          <span
            class="part part-locked"
            style={{ left: percentOf(own, all), width: percentOf(locks, all) }}
            {...barOf({ of: `${of}.locks`, value: locks, unit }, all, own)}
          />
        </div>
      </td>
      <AmountCell value={own} token={token} of={`${of}.own`} />
      <AmountCell value={partner} token={token} of={`${of}.partner`} />
      <AmountCell value={locks} token={token} of={`${of}.locks`} />
    </tr>
  );
}

function Verdict({ of, line: { difference, verdict }, token }: Of & { line: WhatIf }) {
  const { mark, word } = VERDICTS[verdict];
  const colour = { gain: 'mark-good', loss: 'mark-danger', same: 'mark-quiet' }[verdict];
  return (
    <strong class={colour}>
      <span aria-hidden="true">{mark}</span> {word}
      {difference !== 0n && (
        <>
          {' '}
          <AmountText value={difference} token={token} isSigned of={`${of}.difference`} />
        </>
      )}
    </strong>
  );
}

type ChoiceProps = { lines: readonly WhatIf[]; line: WhatIf; choose(nonce: bigint): void };

/** A slider from the oldest known proof on the left to the newest on the right. */
function Scrubber({ lines, line, choose }: ChoiceProps) {
  const last = lines.length - 1;
  return (
    <label class="scrubber">
      <span class="unseen">Proof</span>
      <span aria-hidden="true">older</span>
      <input
        type="range"
        min={0}
        max={last}
        value={last - lines.indexOf(line)}
        aria-valuetext={`proof ${line.nonce}`}
        onInput={({ currentTarget }) => {
          const next = lines[last - Number(currentTarget.value)];
          if (next !== undefined) choose(next.nonce);
        }}
      />
      <span aria-hidden="true">newest</span>
    </label>
  );
}

const PROOF_COLUMNS = [
  'Proof',
  ...['For this node', 'This node gets', 'Partner gets', 'Transferred', 'Locked'].map(
    (name) => [name, 'number'] as const,
  ),
];

function ProofTable({ of, lines, line, choose, token }: ChoiceProps & Of) {
  return (
    <section class="proofs pane-wide" aria-label="Older proofs">
      <table class="exact">
        <TableHead columns={PROOF_COLUMNS} />
        <tbody>
          {lines.map((entry) => (
            <tr key={`${entry.nonce}`} class={entry === line ? 'is-chosen' : undefined}>
              <td>
                <label class="proof-name">
                  <input
                    type="radio"
                    name="proof"
                    checked={entry === line}
                    onChange={() => choose(entry.nonce)}
                  />{' '}
                  {entry.nonce.toString()}
                </label>
              </td>
              <td class="number">
                <Verdict of={older(of, entry)} line={entry} token={token} />
              </td>
              <AmountCell value={entry.payout.own} token={token} of={`${older(of, entry)}.own`} />
              <AmountCell
                value={entry.payout.partner}
                token={token}
                of={`${older(of, entry)}.partner`}
              />
              <AmountCell
                value={entry.transferredAmount}
                token={token}
                of={`${older(of, entry)}.transferred`}
              />
              <AmountCell
                value={entry.lockedAmount}
                token={token}
                of={`${older(of, entry)}.locked`}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function More({ list, side, count }: { list: ProofList; side: ProofSide; count: number }) {
  return (
    <p class="proofs-more mark-quiet">
      {count} {count === 1 ? 'proof' : 'proofs'}{' '}
      {list.hasMore.value && (
        <button type="button" onClick={() => void list.more(side)}>
          Load older
        </button>
      )}
      {list.problem.value}
    </p>
  );
}
