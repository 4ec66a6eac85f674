import type { HostSlots } from '../web/host-slots.ts'
import type { Patience } from '../web/patience.ts'
import type { RateLimit } from '../web/rate-limit.ts'
import type { WebClient } from '../web/web-client.ts'
import type { FileSource } from './file-source.ts'
import type { PartFile } from './part-file.ts'

/** Context shared by both ways to fetch a file. */
export interface FetchContext {
  readonly client: WebClient
  readonly source: FileSource
  readonly part: PartFile
  readonly bytes: number
  readonly connections: number
  readonly slots: HostSlots
  readonly rate: RateLimit
  readonly patience: Patience
  readonly signal: AbortSignal
  /** Called with the number of newly arrived bytes. */
  readonly onBytes: (bytes: number) => void
}
