/** Tokens of texts and chats, texts of tokens, and facts of the tokenizer, as the model's servers tell them. */
import { ApiError } from '../../../core/errors.ts'
import type { ChatToTokens, TokensOutput, TokensRequest } from '../../../core/tokens.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { refusedValue, unsupportedParameter } from '../../shared/engine-errors.ts'
import { chatCalls } from '../chat/request/chat-calls.ts'
import { promptOf } from '../count/count-ways.ts'
import { flavors } from '../flavors.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { requestJson } from '../http/request-json.ts'
import type { ServerCall } from '../server-path.ts'
import type { PrepareWork, UpstreamEndpoint, WorkContext } from '../work/upstream-work.ts'
import { type ReadTokens, readFacts, readText, readTokens, toLists } from './read-tokens.ts'
import { type TokenCalls, tokenCalls } from './token-calls.ts'

/** Size limit of an answer, which is parsed at once in the server's own thread. */
const answerMebibytes = 16
const answerBytesLimit = answerMebibytes * 1024 * 1024

type Endpoint = UpstreamEndpoint<TokensOutput>

export const prepareTokens: PrepareWork<'tokens'> = (request, context) => {
  const calls = tokenCalls[context.flavor]
  const run = taskOf(request, calls, context)
  return {
    estimate: { least: nothingConsumed, most: nothingConsumed },
    prefix: '',
    run: async (link) => {
      await link.call(async (endpoint) => {
        const outputs = await run(endpoint).catch((error: unknown) => {
          throw toClient(error, request, context)
        })
        const counts = outputs.map((output) => (output.type === 'tokens' ? output.tokens.length : 0))
        link.started({ promptTokens: counts.reduce((sum, count) => sum + count, 0), cachedTokens: 0 })
        endpoint.emit(outputs)
      })
    },
  }
}

/** Returns the task at one server. Throws ApiError if servers of this flavor cannot do it. */
function taskOf(
  request: TokensRequest,
  calls: TokenCalls,
  context: WorkContext,
): (endpoint: Endpoint) => Promise<TokensOutput[]> {
  const { modelThere: model, contextTokens } = context
  const { cut, join, facts } = calls
  requirePossible(request, calls)
  switch (request.task) {
    case 'text':
      if (cut === undefined) throw unable(context)
      return async (endpoint) => {
        const answer = await post(endpoint, cut(request, model))
        return toLists(readTokens(answer, request.hasPieces), contextTokens)
      }
    case 'tokens':
      if (join === undefined) throw unable(context)
      return async (endpoint) => textOutput(readText(await post(endpoint, join(request.tokens, model))))
    case 'info':
      if (facts === undefined) throw unable(context)
      return async (endpoint) => {
        const answer = await requestJson({ ...endpoint.to(facts(model)), method: 'GET' }, answerBytesLimit)
        return [readFacts(answer, contextTokens)]
      }
    case 'chat':
    case 'template':
      return chatTask(request, calls, context)
  }
}

/** Returns the task. A server that can either render or cut a conversation does both, with a second call. */
function chatTask(request: ChatToTokens, { cut, cutChat, render, join }: TokenCalls, context: WorkContext) {
  const { modelThere: model, contextTokens } = context
  const prompt = promptFields(request, context)
  const { hasPieces } = request
  const cutPrompt = async (endpoint: Endpoint): Promise<ReadTokens> => {
    if (cutChat !== undefined) return readTokens(await post(endpoint, cutChat(prompt, hasPieces)), hasPieces)
    if (render === undefined || cut === undefined) throw unable(context)
    const text = readText(await post(endpoint, render(prompt)))
    const call = cut({ task: 'text', text, addsStart: true, parsesSpecial: true, hasPieces }, model)
    return readTokens(await post(endpoint, call), hasPieces)
  }
  const renderPrompt = async (endpoint: Endpoint): Promise<string> => {
    if (render !== undefined) return readText(await post(endpoint, render(prompt)))
    if (join === undefined) throw unable(context)
    const { tokens } = await cutPrompt(endpoint)
    return readText(await post(endpoint, join(tokens, model)))
  }
  return async (endpoint: Endpoint): Promise<TokensOutput[]> =>
    request.task === 'template'
      ? textOutput(await renderPrompt(endpoint))
      : toLists(await cutPrompt(endpoint), contextTokens)
}

/** Returns the fields of the prompt, as a request for an answer has them. */
function promptFields(request: ChatToTokens, { flavor, modelThere, cacheSalt }: WorkContext) {
  const options = { flavor, model: modelThere, maxTokens: 1, cacheSalt, pictureUrl: () => '' }
  const body = chatCalls({ ...request, choices: 1 }, options)[0]?.body ?? {}
  const { continue_final_message: continues = false } = body
  const isContinued = continues === true && !request.isClosed
  return {
    ...promptOf(body),
    ...(isContinued ? { continue_final_message: true, add_generation_prompt: false } : {}),
    ...(request.isClosed && { add_generation_prompt: false }),
  }
}

function post(endpoint: Endpoint, { body, ...place }: ServerCall): Promise<unknown> {
  return requestJson({ ...endpoint.to(place), method: 'POST', body }, answerBytesLimit)
}

function textOutput(text: string): TokensOutput[] {
  return [{ type: 'prompt-text', text }]
}

function requirePossible(request: TokensRequest, { listsPieces, cutsControlText }: TokenCalls): void {
  const words = ' by the servers of this model. Leave it out.'
  if ('hasPieces' in request && request.hasPieces && !listsPieces)
    throw unsupportedParameter('return_token_strs', words)
  if (request.task === 'text' && !request.parsesSpecial && !cutsControlText) {
    throw unsupportedParameter('parse_special', words)
  }
}

function unable({ manifest }: WorkContext): ApiError {
  const message = `The server of model '${manifest.id}' does not tell its tokens. POST /v1/responses/input_tokens estimates their number.`
  return new ApiError('not_found', message, { code: 'not_supported' })
}

/** Statuses of servers that do not have the endpoint. */
const absent: ReadonlySet<number | undefined> = new Set([404, 405, 501])
/** Statuses of servers that refuse the values. */
const refused: ReadonlySet<number | undefined> = new Set([400, 413, 422])

const params = { text: 'prompt', tokens: 'tokens', chat: 'messages', template: 'messages', info: 'model' } as const

/** Returns the client's error if the server cannot do the task, or finds fault with the request; others unchanged. */
function toClient(error: unknown, { task }: TokensRequest, context: WorkContext): unknown {
  if (!(error instanceof UpstreamFailure)) return error
  const isAnswered = flavors[context.flavor].isInferd && error.kind === 'status' && !absent.has(error.status)
  if (isAnswered) return error
  if (absent.has(error.status)) return unable(context)
  const param = params[task]
  if (error.kind === 'too-large') {
    return refusedValue(`The answer to '${param}' has more than ${answerMebibytes} MB. Send it in parts.`, param)
  }
  if (!refused.has(error.status)) return error
  const reason = 'It is too long, or does not fit the model.'
  return refusedValue(`The server of model '${context.manifest.id}' refused '${param}'. ${reason}`, param)
}
