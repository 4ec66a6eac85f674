import type { Transporter } from 'nodemailer'
import { unlessAborted, within } from '../core/within.ts'
import type { MailText } from './compose-mail.ts'

export interface SmtpConfig {
  readonly host: string
  readonly port: number
  /**
   * `starttls`: encrypted after the greeting, or refused. `tls`: encrypted from the first byte. `none`: in the clear,
   * for a relay on this machine or beside it.
   */
  readonly security: 'starttls' | 'tls' | 'none'
  readonly user: string | undefined
  readonly password: string | undefined
  readonly from: string
}

/** Sends one mail. Rejects with the server's answer, a timeout, or the signal's reason. */
export type SendMail = (to: string, mail: MailText, signal: AbortSignal) => Promise<void>

/** Longest silence of the server. */
const silenceMs = 20_000
/** Longest time for one mail, even if the server keeps sending. */
const deadlineMs = 60_000

/** Sends through the operator's mail server, with one connection for each mail. */
export function smtpSender(config: SmtpConfig): SendMail {
  const { from } = config
  return (to, mail, signal) => withTransport(config, (transport) => transport.sendMail({ from, to, ...mail }), signal)
}

/** Connects to the mail server and signs in; sends nothing. Rejects with the server's answer or a timeout. */
export async function verifySmtp(config: SmtpConfig): Promise<void> {
  await withTransport(config, (transport) => transport.verify())
}

async function withTransport(
  { host, port, security, user, password }: SmtpConfig,
  use: (transport: Transporter) => Promise<unknown>,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  // Loaded with the first mail, which most installations never send.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    // Forbids to read parts of a mail from files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    signal.throwIfAborted()
    await within(unlessAborted(use(transport), signal), deadlineMs, () => {
      throw new Error(`not taken within ${deadlineMs / 1000} s`)
    })
  } finally {
    transport.close()
  }
}
