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

/** Hands one mail to the server. Rejects with what the server said, that it took too long, or the signal's reason. */
export type SendMail = (to: string, mail: MailText, signal: AbortSignal) => Promise<void>

/** A server that says nothing for this long has failed. */
const patienceMs = 20_000
/** One that has not taken the mail by then has failed too, whatever it says. */
const deadlineMs = 60_000

/** Sends by the operator's mail server, one connection a mail. */
export function smtpSender({ host, port, security, user, password, from }: SmtpConfig): SendMail {
  return async (to, mail, signal) => {
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
    const { promise: given, reject: giveUp } = Promise.withResolvers<never>()
    const stop = () => giveUp(signal.reason)
    const deadline = setTimeout(() => giveUp(new Error(`not taken within ${deadlineMs / 1000} s`)), deadlineMs)
    signal.addEventListener('abort', stop, { once: true })
    try {
      signal.throwIfAborted()
      await Promise.race([transport.sendMail({ from, to, ...mail }), given])
    } finally {
      clearTimeout(deadline)
      signal.removeEventListener('abort', stop)
      transport.close()
    }
  }
}
