import type { ServiceEventType } from './service-events.ts'

/** Receiver of events over HTTP. */
export interface Webhook {
  /** Name in lists, commands and the log. The address may hold a secret. */
  readonly name: string
  readonly url: string
  readonly events: readonly ServiceEventType[]
  /** Key of the signatures, at least 24 bytes. */
  readonly secret: Uint8Array
}
