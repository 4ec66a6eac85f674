/** Answers of a server that has all abilities except for its faults. */
import type { UpstreamFlavor } from '../../core/upstream.ts'
import type { FakeScript } from '../../engines/fake/script.ts'
import { playChatStream, type ScriptedBody } from './chat-stream.ts'
import type { UpstreamAnswer } from './fake-upstream.ts'
import { flavorQuirks, type Quirks } from './quirks.ts'

/** Faults of a server. */
export type Fault =
  | 'refuses tools'
  | 'calls as text'
  | 'never calls'
  | 'ignores schemas'
  | 'refuses schemas'
  | 'refuses pictures'
  | 'fails on pictures'
  | 'no log probabilities'
  | 'no raw prompts'
  | 'thinking as text'
  | 'never thinks'
  | 'always thinks'
  | 'is busy'
  | 'fails'

interface AskedBody extends ScriptedBody {
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
  readonly tool_choice?: unknown
  readonly response_format?: { readonly type: string }
  readonly reasoning?: { readonly enabled?: boolean }
  readonly chat_template_kwargs?: { readonly enable_thinking?: boolean }
}

export function ableAnswers(flavor: UpstreamFlavor, faults: readonly Fault[], quirks: Partial<Quirks> = {}) {
  const has = (fault: Fault) => faults.includes(fault)
  const answer: UpstreamAnswer = async (exchange) => {
    const body = exchange.json() as AskedBody
    const refusal = refusalOf(body, has)
    if (refusal !== undefined) return exchange.answer(refusal, { error: { message: 'it cannot' } })
    const script = scriptOf(body, has)
    const text = JSON.stringify({ script, finish: isCall(script) ? 'tool-calls' : 'stop' })
    const said = body.messages === undefined ? { prompt: text } : { messages: [{ role: 'user', content: text }] }
    return playChatStream(exchange, { ...body, ...said }, { ...flavorQuirks[flavor], ...quirks })
  }
  return answer
}

type Has = (fault: Fault) => boolean
type Script = FakeScript['script']

function refusalOf(body: AskedBody, has: Has): number | undefined {
  const isSeen = JSON.stringify(body.messages ?? []).includes('image_url')
  if (body.messages === undefined && has('no raw prompts')) return 404
  if (has('fails')) return 500
  if (has('is busy')) return 503
  if (isSeen && has('refuses pictures')) return 400
  if (isSeen && has('fails on pictures')) return 500
  if (body.tools !== undefined && has('refuses tools')) return 400
  return body.response_format !== undefined && has('refuses schemas') ? 400 : undefined
}

function scriptOf(body: AskedBody, has: Has): Script {
  if (JSON.stringify(body.messages ?? []).includes('hundred'))
    return [{ text: 'One' }, { text: ' two' }, { waitForCancel: true }]
  const isWanted = body.chat_template_kwargs?.enable_thinking ?? body.reasoning?.enabled ?? false
  const isThinking = !has('never thinks') && (has('always thinks') || isWanted)
  const answer = answerOf(body, has)
  if (!isThinking) return answer
  return has('thinking as text')
    ? [{ text: '<think>Hm.' }, { text: '</think>' }, ...answer]
    : [{ reasoning: 'Hm.' }, ...answer]
}

function answerOf(body: AskedBody, has: Has): Script {
  const [tool] = body.tools ?? []
  if (tool !== undefined && !has('never calls')) {
    const { name } = tool.function
    const isText = has('calls as text') && typeof body.tool_choice !== 'object'
    const arguments_ = ['{"city":', '"Paris"}']
    if (!isText) return [{ tool: { name, arguments: arguments_ } }]
    return [{ text: `<tool_call>{"name":"${name}","arguments":${arguments_.join('')}}</tool_call>` }]
  }
  if (body.response_format !== undefined && !has('ignores schemas')) return [{ text: '{"word":"zeugma"}' }]
  const logprobs = [{ token: 'Hello', bytes: [72], logprob: -0.5, alternatives: [] }]
  return [has('no log probabilities') ? { text: 'Hello' } : { text: 'Hello', logprobs }, { text: '.' }]
}

function isCall(script: Script): boolean {
  return script.some((action) => 'tool' in action)
}
