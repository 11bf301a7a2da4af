/** The plans of dishonest nodes. */
export const PLANS = [
  'dust',
  'endless_locks',
  'fee_drain',
  'flood',
  'free_rider',
  'front_run_registration',
  'ghost_mediator',
  'hostile_broker',
  'late_reveal',
  'late_unlocks',
  'lock_jamming',
  'moves',
  'never_acknowledges',
  'random',
  'small_settle_timeout',
  'stale_close',
  'start_end',
  'withdraw_race',
  'withheld_unlocks',
  'worthless_channels',
] as const;
export type Plan = (typeof PLANS)[number];

/** What each plan does, for people. */
export const PLAN_TEXTS: Record<Plan, string> = {
  dust: 'Fills the lock slots of its victims with the smallest payments',
  endless_locks: 'Gives locks that never expire, and wants nothing for them',
  fee_drain: 'Sends money round through its victims, to be paid for balancing their channels',
  flood: 'Says the same useless thing hundreds of times, another one every few blocks',
  free_rider: "Copies the transactions of a monitoring service, to take the service's reward",
  front_run_registration:
    'Uses secrets from transactions that are not mined yet, with a higher fee',
  ghost_mediator: 'Locks the same secret hash again with each unlock, in the same payload',
  hostile_broker: 'Uses what a broker can do: what was sent to others, and who speaks when',
  late_reveal: 'Reveals secrets, or registers them, when the lock is about to expire',
  late_unlocks: 'Unlocks only when its partners have registered the secrets',
  lock_jamming: 'Starts payments through its victims and never finishes them',
  moves: 'Makes the moves that the scenario lists, and behaves well but for them',
  never_acknowledges: 'Takes all that it is sent, and never says so',
  random: 'Draws its moves from all that a partner can do, other ones for each seed',
  small_settle_timeout: 'Opens a channel that is settled before anybody can object',
  stale_close: 'Closes with the old state that suits it best',
  start_end: 'Is both ends of a payment, and tries to be paid without paying the middle',
  withdraw_race: 'Withdraws and pays with the same money',
  withheld_unlocks: 'Never unlocks, so that its partners have to register the secrets',
  worthless_channels: 'Fills channels of a token that nobody else has with locks of one unit each',
};
