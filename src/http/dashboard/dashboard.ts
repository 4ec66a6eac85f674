import { Elysia } from 'elysia'
import type { Handler } from '../services.ts'
import { forMembers, fromOwnPages } from './guards.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { me } from './me.ts'
import { dashboardPage } from './pages.ts'
import { redeemVoucher } from './redeem-voucher.ts'
import { ledger, usage } from './reports.ts'
import { resendConfirmation, setPassword } from './settings.ts'
import { signIn } from './sign-in.ts'
import { signInLink } from './sign-in-link.ts'
import { signOut } from './sign-out.ts'
import { useLink } from './use-link.ts'

type Route = (handler: Handler) => (context: { request: Request }) => Response | Promise<Response>

/** Everything below /dashboard: pages for all, the API for who is signed in; what changes something for own pages only. */
export function dashboard(to: Route) {
  const noParse = { parse: 'none' } as const
  return new Elysia()
    .get('/', to(dashboardPage))
    .get('/billing', to(dashboardPage))
    .post('/api/sign-in', to(fromOwnPages(signIn)), noParse)
    .post('/api/sign-in-link', to(fromOwnPages(signInLink)), noParse)
    .post('/api/session', to(fromOwnPages(useLink)), noParse)
    .post('/api/sign-out', to(fromOwnPages(signOut)), noParse)
    .get('/api/me', to(forMembers(me)))
    .get('/api/keys', to(forMembers(listKeys)))
    .post('/api/keys', to(fromOwnPages(forMembers(createKey))), noParse)
    .delete('/api/keys/*', to(fromOwnPages(forMembers(revokeKey))), noParse)
    .get('/api/usage', to(forMembers(usage)))
    .get('/api/ledger', to(forMembers(ledger)))
    .post('/api/vouchers/redeem', to(fromOwnPages(forMembers(redeemVoucher))), noParse)
    .post('/api/confirmation', to(fromOwnPages(forMembers(resendConfirmation))), noParse)
    .post('/api/password', to(fromOwnPages(forMembers(setPassword))), noParse)
}
