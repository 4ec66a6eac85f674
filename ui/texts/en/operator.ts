/** Texts shared by several pages for operators. */
export const ledger = {
  caption: 'Movements of money',
  empty: 'No money has moved yet.',
  noneOfKind: 'No money has moved in this way yet.',
  toAccounts: 'Add funds to an account',
  csv: 'CSV',
  time: 'When',
  kind: 'Kind',
  account: 'Account',
  about: 'About',
  actor: 'By',
  amount: 'Amount',
  balance: 'Balance after',
  kinds: {
    signup: 'Signup',
    credit: 'Funds added',
    starter_credit: 'Starter credit',
    voucher: 'Voucher',
    usage: 'Usage',
    adjustment: 'Taken away',
  },
}

export const operator = { ownPassword: 'Your password' }

export const audit = {
  caption: 'Changes to accounts, keys and money',
  empty: 'Nothing was changed yet.',
  time: 'When',
  actor: 'Who',
  action: 'What',
  account: 'Account',
  details: 'Details',
  more: (count: number) => `and ${count} more`,
}
