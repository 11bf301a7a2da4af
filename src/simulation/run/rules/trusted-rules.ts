/** The rules for all trusted nodes, also for those whose disk was put back: what they sign and send counts. */
import type { Address } from '../../../basics/hex.ts';
import type { Counts } from '../../invariants/counts.ts';
import { createClaims } from '../../invariants/locks/claims.ts';
import { createDisclosures } from '../../invariants/locks/disclosures.ts';
import { createEndings } from '../../invariants/locks/endings.ts';
import { createRegistrations } from '../../invariants/locks/registrations.ts';
import { createRequests } from '../../invariants/locks/requests.ts';
import { createTimeouts } from '../../invariants/locks/timeouts.ts';
import { createRefused } from '../../invariants/messages/refused.ts';
import { createRepeatRule } from '../../invariants/messages/repeats.ts';
import { createSeals } from '../../invariants/messages/seals.ts';
import { createUnsaid } from '../../invariants/messages/unsaid.ts';
import { createWitness } from '../../invariants/messages/witness.ts';
import { createLedger } from '../../invariants/money/ledger.ts';
import type { Facts, Oracle } from '../../invariants/oracle.ts';
import { HISTORIES } from '../../invariants/records/histories.ts';
import type { NodePlan } from '../../scenario/topology.ts';
import type { Trust } from '../faults/trust.ts';

type Options = {
  facts: Facts;
  counted: Counts['counted'];
  nodes: readonly NodePlan[];
  trust: Trust;
  /** The nodes at both ends of a channel, by its actor's id; null: not known. */
  endsOf(channel: string): readonly [number, number] | null;
  /** Whether somebody without the keys of either end can read the payload. */
  isOpenTo(to: Address, payload: Uint8Array): boolean;
};

export function createTrustedRules({ facts, counted, nodes, trust, endsOf, isOpenTo }: Options) {
  const { confirmations, head, isWhole, isExcused } = facts;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const ledger = createLedger({
    ...facts,
    paysForUse: (who) => byName.get(who)?.fees.capFees === false,
    honestPartner(who, channel) {
      const own = byName.get(who)?.index ?? -1;
      const other = endsOf(channel)?.find((index) => index !== own);
      return other === undefined || !trust.isTrusted(other) ? null : (nodes[other]?.name ?? null);
    },
  });
  const isMoney = (channel: string) => endsOf(channel) !== null;
  const claims = createClaims({ ...facts, ledger, isMoney });
  const endings = createEndings({
    ...facts,
    ledger,
    // A node with an old copy of its disk has locks that have ended since, and signs nothing: they wait for the close.
    isExcused: (who, since) => !isWhole(who) || isExcused(who, since),
  });
  // The messages and records about a payment are checked before the ledger forgets its locks.
  const rules: readonly Oracle[] = [
    counted([31], createSeals(isOpenTo)),
    counted([10, 15, 19, 31], createWitness({ ledger, onSecret: claims.knows })),
    counted([25], createTimeouts(facts)),
    counted([31], HISTORIES),
    counted(
      [8, 15, 29],
      createDisclosures({
        ledger,
        addressOf: (who) => facts.machine(who)?.address ?? null,
        seenBlock: () => head() - confirmations,
      }),
    ),
    counted([21], createRequests({ ...facts, ledger })),
    counted([6, 7, 10, 12, 14, 16], ledger),
    counted([25], claims),
    counted([13], endings),
    counted([26], createRegistrations({ ...facts, ledger })),
    counted(
      [19],
      createRefused((who) => trust.isRefused(byName.get(who)?.index ?? -1)),
    ),
    counted([32], createRepeatRule(head)),
    counted([20], createUnsaid()),
  ];
  return { ledger, rules };
}
