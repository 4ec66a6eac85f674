/** Upstream servers: they serve a model in place of an engine of this machine. */

/** What a server is; `openai` is any other with that API. */
export const upstreamFlavors = ['vllm', 'sglang', 'trtllm', 'llamacpp', 'openai', 'inferd'] as const

export type UpstreamFlavor = (typeof upstreamFlavors)[number]

/** Where the key for a model's servers is read. A file's path is absolute, or relative to the manifest's folder. */
export type UpstreamKey = { readonly file: string } | { readonly variable: string }

/** What a manifest says of the servers that serve its model. */
export interface UpstreamServers {
  readonly flavor: UpstreamFlavor
  /** Name of the model there. */
  readonly model: string
  /** Base URLs with their path, without a slash at the end: `http://10.0.0.5:8000/v1`. At least one, each once. */
  readonly endpoints: readonly string[]
  /** Absent: requests carry no key. */
  readonly key?: UpstreamKey | undefined
  /** Requests that an endpoint gets side by side. */
  readonly maxConcurrent: number
  /** As the last check found; a manifest cannot say it. Absent: nothing is known to be missing. */
  readonly lacks?: readonly ServerLack[] | undefined
}

/** What a check of a model's servers may find that one of them does not do. Requests for it are refused, or done another way. */
export const serverLacks = [
  'tools',
  'named-tools',
  'schemas',
  'logprobs',
  'pictures',
  /** Texts that the model continues as they are. */
  'prompts',
  /** It does not think. */
  'thinking',
  /** It cannot be told not to think. */
  'thinking-switch',
  /** Thinking stands in the text. */
  'thinking-field',
  'words',
  'speakers',
] as const

export type ServerLack = (typeof serverLacks)[number]

export const defaultMaxConcurrent = 64
