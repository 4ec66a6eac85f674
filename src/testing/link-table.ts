/**
 * Table of who may get which link or key of whom. A test compares it with the operations;
 * docs/reference/links-and-keys.md shows it.
 */

type Answer = 'yes' | 'no' | 'none waits'

export interface LinkRow {
  readonly asks: string
  readonly whom: string
  /** Setup link, sign-in link, link of a waiting mail, key. */
  readonly gets: readonly [Answer, Answer, Answer, Answer]
}

function row(asks: string, whom: string, ...gets: LinkRow['gets']): LinkRow {
  return { asks, whom, gets }
}

export const linkTable: readonly LinkRow[] = [
  row('command line', 'owner', 'yes', 'no', 'none waits', 'yes'),
  row('command line', 'operator', 'yes', 'yes', 'yes', 'yes'),
  row('command line', 'member', 'no', 'yes', 'yes', 'yes'),
  row('owner on a page', 'owner', 'no', 'no', 'none waits', 'yes'),
  row('owner on a page', 'operator', 'yes', 'yes', 'yes', 'yes'),
  row('owner on a page', 'member', 'no', 'yes', 'yes', 'yes'),
  row('operator on a page', 'owner', 'no', 'no', 'none waits', 'no'),
  row('operator on a page', 'operator', 'yes', 'yes', 'yes', 'yes'),
  row('operator on a page', 'the same account', 'yes', 'yes', 'yes', 'yes'),
  row('operator on a page', 'member', 'no', 'yes', 'yes', 'yes'),
  row('member', 'owner', 'no', 'no', 'none waits', 'no'),
  row('member', 'operator', 'no', 'no', 'no', 'no'),
  row('member', 'the same account', 'no', 'no', 'no', 'yes'),
  row('member', 'member', 'no', 'no', 'no', 'no'),
]
