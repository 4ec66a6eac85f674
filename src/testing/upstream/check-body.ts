import { Value } from '@sinclair/typebox/value'
import type { UpstreamFlavor } from '../../core/upstream.ts'
import { bodySchemas } from './body-schemas.ts'

/** Fields that the rules between fields use. */
interface Body {
  readonly stream?: boolean
  readonly stream_options?: object
  readonly prompt_logprobs?: number
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
  readonly tool_choice?: string | { readonly function?: { readonly name: string } }
  readonly logprobs?: boolean | number
  readonly top_logprobs?: number
  readonly response_format?: { readonly type: string }
  readonly structured_outputs?: object
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
}

/** Returns the problem, to follow "400: "; undefined if the rule holds. */
type Rule = (body: Body) => string | undefined

const rules: readonly Rule[] = [
  ({ stream, stream_options }) =>
    when(stream_options !== undefined && stream !== true, 'stream_options without stream'),
  ({ stream, prompt_logprobs }) =>
    when(stream === true && prompt_logprobs !== undefined, 'prompt_logprobs in a stream'),
  ({ tools, tool_choice }) => when(tool_choice !== undefined && tools === undefined, 'tool_choice without tools'),
  ({ tools = [], tool_choice }) => {
    const wanted = typeof tool_choice === 'object' ? tool_choice.function?.name : undefined
    return when(wanted !== undefined && !tools.some((tool) => tool.function.name === wanted), `no tool ${wanted}`)
  },
  ({ logprobs, top_logprobs }) =>
    when(top_logprobs !== undefined && logprobs !== true, 'top_logprobs without logprobs'),
  ({ max_tokens, max_completion_tokens }) =>
    when(max_tokens === undefined && max_completion_tokens === undefined, 'no limit of tokens'),
]

const constraint = ({ response_format, structured_outputs }: Body) =>
  structured_outputs !== undefined || (response_format !== undefined && response_format.type !== 'text')

const flavorRules: Partial<Record<UpstreamFlavor, readonly Rule[]>> = {
  vllm: [(body) => when(constraint(body) && typeof body.tool_choice === 'object', 'a constraint beside a named tool')],
  sglang: [
    (body) =>
      when(
        constraint(body) && body.tool_choice !== undefined && !['auto', 'none'].includes(String(body.tool_choice)),
        'the tools would not be held to: response_format wins',
      ),
  ],
  llamacpp: [
    ({ logprobs, tools }) => when(logprobs === true && tools !== undefined, 'logprobs with tools in a stream'),
  ],
}

function when(isBroken: boolean, problem: string): string | undefined {
  return isBroken ? problem : undefined
}

/** Returns why the server would refuse the body, or silently act differently; undefined if it would do neither. */
export function bodyProblem(flavor: UpstreamFlavor, path: string, body: unknown): string | undefined {
  const schema = bodySchemas[flavor][path]
  if (schema === undefined) return undefined
  const error = Value.Errors(schema, body).First()
  if (error !== undefined) return `${error.path || 'body'}: ${error.message}, not ${JSON.stringify(error.value)}`
  for (const rule of [...rules, ...(flavorRules[flavor] ?? [])]) {
    const problem = rule(body as Body)
    if (problem !== undefined) return problem
  }
  return undefined
}
