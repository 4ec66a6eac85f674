import type { AdminReach } from '../core/listen-address.ts'
import type { CommandReach } from '../core/own-commands.ts'
import type { TextLimits } from '../core/texts.ts'
import { limits } from '../wire/limits.ts'

export interface HttpConfig {
  /** Address that clients use, without path, when it is not the one they connect to (a proxy in front). */
  readonly publicUrl?: string | undefined
  /** Version of the server: part of `system_fingerprint`. */
  readonly version: string
  /** Largest JSON body. */
  readonly bodyLimitBytes: number
  /** Longest time that a body may take to arrive, and longest silence of an upload. */
  readonly bodyTimeoutMs: number
  /** Longest time that an upload may take to arrive. */
  readonly uploadTimeoutMs: number
  /** True if GET /models lists only models on this disk. */
  readonly listsOnlyInstalled: boolean
  /** True to repeat thinking in OpenRouter's fields for all chats. */
  readonly repeatsReasoning: boolean
  /** Time after which a stream begins even if its model is not ready. Later refusals are errors in the stream. */
  readonly silentWaitMs: number
  /** Longest silence in a stream; then a comment is sent. */
  readonly keepAliveMs: number
  /** Output tokens held at a time for answers without a limit. */
  readonly holdTokens: number
  /** Machines that can use the operator's pages. */
  readonly admin: AdminReach
  /** Parts that complete commands so that they reach this server from a shell */
  readonly reach?: CommandReach | undefined
  /** Address that the server listens on. */
  readonly host: string
  /** Operator's text for the billing page on other ways to add money */
  readonly topUpText?: string | undefined
  /** Host names besides `publicUrl`'s under which the dashboard and signup are served. */
  readonly hostNames: readonly string[]
  /** Proxies that are trusted to name the client's address: IP addresses and networks. */
  readonly trustedProxies: readonly string[]
  /** True to serve Ollama's API below /api. */
  readonly servesOllama: boolean
  /** True to serve programs of this machine without a key where Ollama's API is. */
  readonly servesKeyless: boolean
  /** Origins of pages that are served without a key like programs of this machine, as browsers send them */
  readonly keylessOrigins: readonly string[]
  /** Days for which browsers that came by TLS may not come without it. 0 leaves the choice to them. */
  readonly hstsDays: number
  /** Silence in both directions after which a connection is closed, unless a model works for it */
  readonly idleTimeoutSeconds: number
  /** Id or alias of the model that moderates. Undefined if none does. */
  readonly moderationModel?: string | undefined
  /** Id or alias of the model that transcribes for models that do not hear. Undefined if none does. */
  readonly audioFallback?: string | undefined
  /** Most texts in a request. */
  readonly textLimits: TextLimits
}

/** Limits in production */
export const httpDefaults = {
  bodyLimitBytes: 64 * 1024 * 1024,
  bodyTimeoutMs: 60_000,
  uploadTimeoutMs: 15 * 60_000,
  listsOnlyInstalled: false,
  repeatsReasoning: false,
  silentWaitMs: 15_000,
  keepAliveMs: 10_000,
  hstsDays: 0,
  idleTimeoutSeconds: 120,
  holdTokens: 256,
  admin: 'loopback',
  host: '127.0.0.1',
  hostNames: [],
  trustedProxies: [],
  servesOllama: true,
  servesKeyless: false,
  keylessOrigins: [],
  textLimits: { embeddingInputs: limits.embeddingInputs.most, rerankDocuments: limits.rerankDocuments.most },
} as const
