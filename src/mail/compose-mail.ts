import type { MailPurpose } from './outbox.ts'

const paths: Readonly<Record<MailPurpose, string>> = { confirm: '/confirm', 'sign-in': '/sign-in' }

/** Returns the link in a mail. `baseUrl` is the server's address without path. */
export function mailLink(purpose: MailPurpose, token: string, baseUrl: string): string {
  return `${baseUrl}${paths[purpose]}?token=${encodeURIComponent(token)}`
}

export interface MailText {
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface Words {
  readonly subject: string
  readonly why: string
  readonly action: string
  readonly note: string
}

const words: Readonly<Record<MailPurpose, Words>> = {
  confirm: {
    subject: 'Confirm your address',
    why: 'An account for this address was made at',
    action: 'Confirm the address',
    note: 'The link is good for 7 days and works once. If this was not you, ignore this mail.',
  },
  'sign-in': {
    subject: 'Your sign-in link',
    why: 'Somebody, hopefully you, wants to sign in at',
    action: 'Sign in',
    note: 'The link is good for 30 minutes and works once. If this was not you, ignore this mail.',
  },
}

/** Returns the text of a mail with its link. `baseUrl` is the server's address without path. */
export function composeMail(purpose: MailPurpose, link: string, baseUrl: string): MailText {
  const { subject, why, action, note } = words[purpose]
  const [safeLink, safeBase] = [Bun.escapeHTML(link), Bun.escapeHTML(baseUrl)]
  return {
    subject,
    text: `${why} ${baseUrl}\n\n${action}:\n${link}\n\n${note}\n`,
    html: `<!doctype html><html lang="en"><body style="font:16px/1.5 sans-serif"><p>${why} ${safeBase}</p>
<p><a href="${safeLink}">${action}</a></p><p>Or open this address: ${safeLink}</p><p>${note}</p></body></html>\n`,
  }
}

/** Returns the text of a test mail. `baseUrl` is the server's address without path. */
export function composeTestMail(baseUrl: string): MailText {
  const text = `This is a test mail of the server at ${baseUrl}. It sends mail as it should.`
  return {
    subject: 'Test mail',
    text: `${text}\n`,
    html: `<!doctype html><html lang="en"><body style="font:16px/1.5 sans-serif"><p>${Bun.escapeHTML(text)}</p></body></html>\n`,
  }
}
