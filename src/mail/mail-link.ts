import type { MailPurpose } from './outbox.ts'

const paths: Readonly<Record<MailPurpose, string>> = { confirm: '/confirm', 'sign-in': '/sign-in' }

/** Where the link of a mail leads. `baseUrl` is the server's address without path. */
export function mailLink(purpose: MailPurpose, token: string, baseUrl: string): string {
  return `${baseUrl}${paths[purpose]}?token=${encodeURIComponent(token)}`
}
