/** Opens channels and takes deposits. Source: ChannelOpening.sol. */
import type { Address } from '../../../basics/hex.ts';
import { eventTopic, words } from './abi.ts';
import type { ChannelBase } from './channel-base.ts';
import { type Call, emit, type Methods, NOTHING, tokenAt, UNLIMITED } from './contract.ts';
import { demand } from './revert.ts';

const OPENED = eventTopic('ChannelOpened(uint256,address,address,uint256)');
const DEPOSITED = eventTopic('ChannelNewDeposit(uint256,address,uint256)');

type Opening = { one: Address; two: Address; settleTimeout: bigint };
type Pull = { id: bigint; participant: Address; total: bigint; added: bigint };

export function openingMethods(base: ChannelBase): Methods {
  const { world, address, terms, channels, counter, identifiers } = base;

  function open({ one, two, settleTimeout }: Opening, held: bigint): bigint {
    demand(settleTimeout >= terms.settleTimeoutMin, 'TN: settle timeout < min');
    demand(settleTimeout <= terms.settleTimeoutMax, 'TN: settle timeout > max');
    demand(held < base.networkLimit(), 'TN/open: network deposit limit reached');
    const pair = base.pairHash(one, two);
    demand(identifiers.get(pair) === 0n, 'TN/open: channel exists for participants');
    const id = counter.get('') + 1n;
    counter.set('', id);
    identifiers.set(pair, id);
    base.pairs.set(id.toString(), [one, two]);
    const nonces = { lowerNonce: 0n, higherNonce: 0n };
    const channel = { state: 'opened', settle: settleTimeout, closedByHigher: null } as const;
    channels.set(id.toString(), { ...channel, ...nonces });
    emit(world, address, [OPENED, id, one, two], words(settleTimeout));
    return id;
  }

  function checkDeposit(total: bigint, added: bigint, held: bigint): void {
    demand(added > 0n, 'TN/deposit: no deposit added');
    demand(total <= base.participantLimit(), 'TN/deposit: deposit limit reached');
    const limit = base.networkLimit();
    demand(held <= limit && added <= limit - held, 'TN/deposit: network limit reached');
  }

  function pull({ sender }: Call, { id, participant, total, added }: Pull): void {
    emit(world, address, [DEPOSITED, id, participant], words(total));
    tokenAt(world, terms.token).transferFrom(base.self, sender, address, added);
  }

  function openWithDeposit(call: Call, opening: Opening, total: bigint): bigint {
    base.demandSafe();
    const held = base.held();
    const id = open(opening, held);
    checkDeposit(total, total, held);
    base.save(base.key(id, opening.one, opening.two), { deposit: total, withdrawn: 0n });
    pull(call, { id, participant: opening.one, total, added: total });
    return id;
  }

  function deposit(call: Call, id: bigint, sides: [Address, Address], total: bigint): void {
    const [participant, partner] = sides;
    base.demandSafe();
    demand(id === base.identifierOf(participant, partner), 'TN/deposit: channel id mismatch');
    const isOpened = channels.get(id.toString())?.state === 'opened';
    demand(isOpened, 'TN/deposit: channel not open');
    const place = base.key(id, participant, partner);
    const before = base.load(place);
    demand(total >= before.deposit, 'TN/deposit: deposit underflow');
    const added = total - before.deposit;
    checkDeposit(total, added, base.held());
    const other = base.load(base.key(id, partner, participant));
    demand(total <= UNLIMITED - other.deposit, 'TN/deposit: deposit overflow');
    base.save(place, { ...before, deposit: total });
    pull(call, { id, participant, total, added });
  }

  return {
    'openChannel(address,address,uint256)': (_, input) => {
      const opening = { one: input.address(), two: input.address(), settleTimeout: input.uint() };
      base.demandSafe();
      return words(open(opening, base.held()));
    },
    'openChannelWithDeposit(address,address,uint256,uint256)': (call, input) => {
      const opening = { one: input.address(), two: input.address(), settleTimeout: input.uint() };
      return words(openWithDeposit(call, opening, input.uint()));
    },
    'setTotalDeposit(uint256,address,uint256,address)': (call, input) => {
      const [id, participant, total] = [input.uint(), input.address(), input.uint()];
      deposit(call, id, [participant, input.address()], total);
      return NOTHING;
    },
  };
}
