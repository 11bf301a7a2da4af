/** The figures of a report as markup, with what they claim as attributes. */
import { attributesOf, type Claim, type OnTrack } from '../../../basics/figure.ts';
import type { Said, Words } from '../results/said.ts';
import { type Markup, markup } from './markup.ts';

/** Attributes of an element that shows what is claimed, with a space before each. */
export function claimMarkup(claim: Claim, onTrack?: OnTrack): Markup {
  const attributes = Object.entries(attributesOf(claim, onTrack));
  return markup`${attributes.map(([name, value]) => markup` ${name}="${value}"`)}`;
}

/** The figure; what its text leaves out is under the pointer. */
export function shown(said: Said): Markup {
  return markup`<span${saidMarkup(said)}>${said.text}</span>`;
}

export function saidMarkup({ exact, ...claim }: Said): Markup {
  const title = exact === undefined ? null : markup` title="${exact}"`;
  return markup`${claimMarkup(claim)}${title}`;
}

/** A sentence with its figures. */
export function spoken(words: Words): Markup {
  return markup`${words.map((word) => (typeof word === 'string' ? word : shown(word)))}`;
}
