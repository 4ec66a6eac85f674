import type { MailText } from './compose-mail.ts'

export interface SmtpConfig {
  readonly host: string
  readonly port: number
  /** `starttls`: refuses to go on without it; `tls`: from the first byte; `none`: in the clear, for a relay beside us. */
  readonly security: 'starttls' | 'tls' | 'none'
  readonly user: string | undefined
  readonly password: string | undefined
  readonly from: string
}

/** Hands one mail to the server. Rejects with what the server said, or that it said nothing. */
export type SendMail = (to: string, mail: MailText) => Promise<void>

/** A server that says nothing for this long has failed. */
const patienceMs = 20_000

/** Sends by the operator's mail server, one connection a mail. */
export function smtpSender({ host, port, security, user, password, from }: SmtpConfig): SendMail {
  return async (to, mail) => {
    // Loaded with the first mail: most servers never send one.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
      connectionTimeout: patienceMs,
      greetingTimeout: patienceMs,
      socketTimeout: patienceMs,
      // Nothing of a mail may name a file or an address to fetch.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      await transport.sendMail({ from, to, ...mail })
    } finally {
      transport.close()
    }
  }
}
