/** What each kind of server behind has, and how it wants to be told: whatever differs between them is a column here. */
import type { UpstreamFlavor } from '../../core/upstream.ts'

/** A place on a server. */
export interface ServerPath {
  /** Begins with a slash: `/chat/completions`. */
  readonly path: string
  /** It is not below the endpoint's base URL, which ends in `/v1`, but beside it. */
  readonly isAtRoot?: boolean | undefined
}

/** The whole URL of a place on an endpoint. */
export function urlOf(endpoint: string, { path, isAtRoot = false }: ServerPath): string {
  return (isAtRoot ? endpoint.replace(/\/v1$/, '') : endpoint) + path
}

/** What a server may be able to do. What it cannot do is refused, or left out where it is a wish. */
export interface Abilities {
  readonly tools: boolean
  /** A choice may name a tool; otherwise that tool alone is shown. */
  readonly namedTools: boolean
  /** A choice may name several tools; otherwise those alone are shown. */
  readonly allowedTools: boolean
  readonly pictures: boolean
  /** Answers that keep to a JSON schema. */
  readonly schemas: boolean
  /** The same where the model may call tools instead. */
  readonly schemasBesideTools: boolean
  readonly logprobs: boolean
  /** Raw prompts: texts and token ids. */
  readonly prompts: boolean
  /** Text of token ids in front of the answer. */
  readonly tokenEcho: boolean
  /** Texts with a gap. */
  readonly fill: boolean
  /** A limit of the tokens of thinking. Some servers refuse it where they are not set up for it. */
  readonly thinkingBudget: boolean
  /** Thinking comes in a field of its own. Otherwise it may stand in the text, in `<think>` tags. */
  readonly parsesThinking: boolean
  /** The model may think. Where it does not, stop strings may be left to the server. */
  readonly thinks: boolean
}

export interface Flavor {
  /** Of raw servers: what stands there unless `inferd check` or the manifest knows better. */
  readonly abilities: Abilities
  /** Asked while there is traffic: 200 means that it works. */
  readonly health: ServerPath
  /** Tells the context of a request, where the list of models does not. */
  readonly properties?: ServerPath
}

const usual: Abilities = {
  tools: true,
  namedTools: true,
  allowedTools: false,
  pictures: true,
  schemas: true,
  schemasBesideTools: false,
  logprobs: true,
  prompts: true,
  tokenEcho: true,
  fill: false,
  thinkingBudget: false,
  parsesThinking: true,
  thinks: true,
}

const rootHealth: ServerPath = { path: '/health', isAtRoot: true }

export const flavors: Readonly<Record<UpstreamFlavor, Flavor>> = {
  vllm: { abilities: usual, health: rootHealth },
  sglang: { abilities: usual, health: rootHealth },
  trtllm: { abilities: usual, health: rootHealth },
  llamacpp: { abilities: usual, health: rootHealth, properties: { path: '/props', isAtRoot: true } },
  openai: { abilities: usual, health: { path: '/models' } },
  inferd: { abilities: usual, health: { path: '/models' } },
}
