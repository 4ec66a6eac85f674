/** Upstream servers, which serve a model in place of an engine of this machine. */

/** Kinds of servers. `openai` is any other with that API. */
export const upstreamFlavors = ['vllm', 'sglang', 'trtllm', 'llamacpp', 'openai', 'inferd'] as const

export type UpstreamFlavor = (typeof upstreamFlavors)[number]

/** Source of the key for a model's servers. A file's path is absolute, or relative to the manifest's folder. */
export type UpstreamKey = { readonly file: string } | { readonly variable: string }

/** Servers of a model in its manifest. */
export interface UpstreamServers {
  readonly flavor: UpstreamFlavor
  /** Name of the model there. */
  readonly model: string
  /** Base URLs with path, without a final slash: `http://10.0.0.5:8000/v1`. At least one, without duplicates. */
  readonly endpoints: readonly string[]
  /** Absent sends requests without a key. */
  readonly key?: UpstreamKey | undefined
  /** Most parallel requests per endpoint. */
  readonly maxConcurrent: number
  /** Missing capabilities found by the last check, never set by a manifest. Absent if none are known. */
  readonly lacks?: readonly ServerLack[] | undefined
}

/**
 * Capabilities that a check may find missing at a model's server. Requests for them are refused, or served another way.
 */
export const serverLacks = [
  'tools',
  'named-tools',
  'schemas',
  'logprobs',
  'pictures',
  /** Continuing texts without a template. */
  'prompts',
  /** Thinking. */
  'thinking',
  /** Switching thinking off. */
  'thinking-switch',
  /** Thinking in a field apart from the text. */
  'thinking-field',
  'words',
  'speakers',
] as const

export type ServerLack = (typeof serverLacks)[number]

export const defaultMaxConcurrent = 64
