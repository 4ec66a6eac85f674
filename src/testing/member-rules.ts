import type { MemberRules } from '../http/services.ts'

/** Signup is open, one USD to start with, and no mail server. */
export const testMembers: MemberRules = {
  isSignupOpen: true,
  starterCreditNanoUsd: 1_000_000_000,
  blockedEmailDomains: [],
  sendsMail: false,
}
