/** The user deposit: deposit, plan a withdrawal, withdraw. */

import * as v from 'valibot';
import { expect } from 'vitest';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';
import { userDepositOf } from '../states.ts';

const refused = { status: 409, answer: form.refused };
const ENDPOINT = 'POST /user_deposit';
const DEPOSIT = { total_deposit: '1000' };

/** A plan becomes due after this many blocks. */
const DELAY = 100;

export const userDepositRows: Row[] = [
  ...at(ENDPOINT, [
    ...[
      DEPOSIT,
      { planned_withdraw_amount: '1' },
      { withdraw_amount: '1' },
      { total_deposit: '0' },
      { planned_withdraw_amount: '-1' },
      { withdraw_amount: '{above256}' },
    ].map((body) => ({
      condition: `no user-deposit contract is configured, for ${JSON.stringify(body)}`,
      source: 'decision: POST user_deposit, 404 before anything about values' as const,
      node: 'unserved' as const,
      body,
      status: 404,
      answer: form.refused,
    })),
    ...[
      {},
      { total_deposit: null, planned_withdraw_amount: null, withdraw_amount: null },
      { total_deposit: '1', planned_withdraw_amount: '1' },
      { total_deposit: '1', withdraw_amount: '1' },
      { planned_withdraw_amount: '1', withdraw_amount: '1' },
      { total_deposit: '1', planned_withdraw_amount: '1', withdraw_amount: '1' },
    ].map((body) => ({
      condition: `not exactly one of the three is given: ${JSON.stringify(body)}`,
      source: 'decision: POST user_deposit, exactly one of the three, else 400' as const,
      body,
      status: 400,
      answer: form.refused,
    })),
    {
      condition: 'nothing was deposited yet, and a withdrawal is planned',
      source: 'document: User deposit, plan 409 higher than the balance',
      body: { planned_withdraw_amount: '1' },
      ...refused,
    },
    {
      condition: 'nothing was planned yet, and it is to be withdrawn',
      source: 'document: User deposit, withdraw 409 higher than the planned amount',
      body: { withdraw_amount: '1' },
      ...refused,
    },
    {
      condition: 'tokens are deposited',
      source: 'document: User deposit, deposit',
      body: DEPOSIT,
      status: 200,
      answer: form.transaction,
      afterwards: async (devnet) =>
        expect(await userDepositOf(devnet, 'alice')).toMatchObject({
          total: 1_000n,
          balance: 1_000n,
        }),
    },
    {
      condition: 'the total deposit is the previous one',
      source: 'document: User deposit, deposit 409 not higher than the previous total',
      body: DEPOSIT,
      ...refused,
    },
    {
      condition: 'the total deposit is lower than the previous one',
      source: 'document: User deposit, deposit 409 not higher than the previous total',
      body: { total_deposit: '999' },
      ...refused,
    },
    {
      condition: 'the total deposit is higher than the previous one, as a JSON integer',
      source:
        'document: User deposit, the total is the sum of the current total and the desired deposit',
      body: { total_deposit: 1500 },
      status: 200,
      answer: form.transaction,
      afterwards: async (devnet) =>
        expect(await userDepositOf(devnet, 'alice')).toMatchObject({
          total: 1_500n,
          balance: 1_500n,
        }),
    },
    ...['total_deposit', 'planned_withdraw_amount', 'withdraw_amount'].flatMap((field) =>
      ['0', '-1', '{above256}'].map((value) => ({
        condition: `${field} is ${value}`,
        source: 'decision: Shape or value, zero, negative, or too large 409' as const,
        body: { [field]: value },
        ...refused,
      })),
    ),
    {
      condition: 'the total deposit is above the limit of the contract',
      source: "document: User deposit, deposit 409 above the contract's limit",
      body: { total_deposit: '{aboveDepositLimit}' },
      ...refused,
    },
    {
      condition: 'the node owns fewer service tokens than the deposit',
      source: 'document: User deposit, deposit 402 insufficient balance',
      node: 'penniless',
      body: DEPOSIT,
      status: 402,
      answer: form.refused,
    },
    {
      condition: 'the deposit is above the limit and above the own tokens',
      source: 'decision: POST user_deposit, 409 before 402',
      node: 'penniless',
      body: { total_deposit: '{aboveDepositLimit}' },
      ...refused,
    },
    {
      condition: 'there is no money for the gas of a deposit',
      source: 'document: User deposit, deposit 402 insufficient gas currency',
      node: 'gasless',
      body: DEPOSIT,
      status: 402,
      answer: form.refused,
    },
    {
      condition: 'more than the balance is planned',
      source: 'document: User deposit, plan 409 higher than the balance',
      body: { planned_withdraw_amount: '1501' },
      ...refused,
    },
    {
      condition: 'there is no money for the gas of a plan',
      source: 'document: User deposit, plan 402',
      given: async (devnet) => {
        await devnet.giveGas('gasless', 10n ** 18n);
        await devnet.do('gasless', ENDPOINT, { total_deposit: '200' });
        await devnet.giveGas('gasless', 0n);
      },
      node: 'gasless',
      body: { planned_withdraw_amount: '10' },
      status: 402,
      answer: form.refused,
    },
    {
      condition: 'a withdrawal of less than the balance is planned',
      source: 'document: User deposit, plan',
      given: async (devnet) => {
        await devnet.giveGas('gasless', 10n ** 18n);
        await devnet.do('gasless', ENDPOINT, { planned_withdraw_amount: '10' });
        await devnet.giveGas('gasless', 0n);
      },
      body: { planned_withdraw_amount: '600' },
      status: 200,
      answer: form.plan,
      afterwards: async (devnet, body) => {
        const { planned_withdraw_block_number: block } = v.parse(form.plan, body);
        const plan = { plannedAmount: 600n, plannedBlock: BigInt(block) };
        expect(await userDepositOf(devnet, 'alice')).toMatchObject(plan);
      },
    },
    {
      condition: 'it is too early for the planned withdrawal',
      source: 'document: User deposit, withdraw 409 too early',
      body: { withdraw_amount: '600' },
      ...refused,
    },
    {
      condition: 'it is too early and the amount above the plan',
      source: 'document: User deposit, withdraw 409',
      body: { withdraw_amount: '601' },
      ...refused,
    },
    {
      condition: 'more than planned is to be withdrawn',
      source: 'document: User deposit, withdraw 409 higher than the planned amount',
      given: (devnet) => devnet.mine(DELAY),
      body: { withdraw_amount: '601' },
      ...refused,
    },
    {
      condition: 'there is no money for the gas of a withdrawal',
      source: 'document: User deposit, withdraw 402',
      node: 'gasless',
      body: { withdraw_amount: '10' },
      status: 402,
      answer: form.refused,
    },
    {
      condition: 'part of what was planned is withdrawn 100 blocks after the plan',
      source: 'document: User deposit, withdraw',
      body: { withdraw_amount: '400' },
      status: 200,
      answer: form.transaction,
      afterwards: async (devnet) =>
        expect(await userDepositOf(devnet, 'alice')).toMatchObject({
          balance: 1_100n,
          total: 1_500n,
        }),
    },
  ]),
];
