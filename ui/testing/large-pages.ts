/** Addresses of pages and tabs that show more, the larger the database is. */
import { allPages } from './all-pages.ts'

const ofAccount = (account: string, query = '') => `/admin/accounts/${account}${query}`

/** Returns addresses for the operator. `account` is one with many rows. */
export function operatorPages(account: string): readonly string[] {
  const plain = allPages.filter(({ path, isForGuests }) => path.startsWith('/admin') && !isForGuests)
  return [
    ...plain.filter(({ path }) => path !== '/admin/accounts/*').map(({ address }) => address),
    ...['', '?tab=ledger', '?tab=usage', '?tab=sessions', '?tab=audit'].map((query) => ofAccount(account, query)),
    ...['?search=user-99', '?search=nobody', '?state=empty', '?state=disabled'].map((q) => `/admin/accounts${q}`),
    ...['?state=redeemed', '?state=revoked', '?tab=ledger', '?tab=ledger&kind=usage'].map((q) => `/admin/money${q}`),
    ...['?tab=recent', '?tab=paid', `?tab=paid&account=${account}`].map((query) => `/admin/requests${query}`),
    ...['?tab=paid&slower=60000', '?tab=paid&model=large/model-3'].map((query) => `/admin/requests${query}`),
    ...['day', 'model', 'account', 'key'].map((by) => `/admin/usage?by=${by}`),
    ...['/admin/mail?tab=all', '/admin/system?tab=audit', '/admin/system?tab=backup'],
  ]
}

/** Returns addresses for a member with many rows. */
export function memberPages(): readonly string[] {
  const plain = allPages.filter(({ path, isForGuests }) => path.startsWith('/dashboard') && !isForGuests)
  return [
    ...plain.map(({ address }) => address),
    ...['?days=90', '?by=model&days=90', '?by=key', '?requests=failed'].map((query) => `/dashboard/usage${query}`),
  ]
}
