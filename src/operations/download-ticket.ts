/** Tickets by which an operator who has typed the password downloads a file. Good for one session, file and minute. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const goodForMs = 60_000
/** Another one at each start. */
const key = randomBytes(32)

interface Ticketed {
  readonly session: string | undefined
  readonly name: string
  /** Milliseconds UTC. */
  readonly nowMs: number
}

export function downloadTicket({ session, name, nowMs }: Ticketed): string {
  const endMs = nowMs + goodForMs
  return `${endMs}-${sign({ session, name, endMs })}`
}

export function isGoodTicket(ticket: string, { session, name, nowMs }: Ticketed): boolean {
  const [, end, sum = ''] = /^(\d{1,15})-([0-9a-f]{64})$/.exec(ticket) ?? []
  const endMs = Number(end)
  if (!(endMs > nowMs)) return false
  return timingSafeEqual(Buffer.from(sum), Buffer.from(sign({ session, name, endMs })))
}

function sign({ session = '', name, endMs }: Omit<Ticketed, 'nowMs'> & { readonly endMs: number }): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([session, name, endMs]))
    .digest('hex')
}
