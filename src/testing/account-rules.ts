import type { AccountRules } from '../operations/operation.ts'

/** Rules with open signup, one USD to start with, and no mail server. */
export const testRules: AccountRules = {
  isSignupOpen: true,
  localSignIn: 'all',
  starterCreditNanoUsd: 1_000_000_000,
  signupLimits: { accounts: 5, tries: 30 },
  blockedEmailDomains: [],
  sendsMail: false,
}
