/** Conversion of a canonical request to one that the step loop can run. */
import type { ChatRequest, RepetitionLimit } from '../../core/chat.ts'
import { refusedPart, refusedValue, requireFewScores, unsupportedParameter } from '../shared/engine-errors.ts'
import { Answer, type AnswerReader } from './answer/answer.ts'
import { PlainReader, ReplyReader } from './answer/reply-reader.ts'
import { samplerMaker } from './answer/samplers.ts'
import type { LoadedModel } from './load-model.ts'
import { layOutPrompt } from './prompt/lay-out-prompt.ts'
import { type AnswerSetup, preparePrompt, renderRequest } from './prompt/prepare-prompt.ts'
import { echoOf, layOutRawPrompts, rawSetup } from './prompt/raw-prompt.ts'
import { withinRenderLimits } from './prompt/rendering.ts'
import { requireRoom, tokenizePrompt } from './prompt/tokenize-prompt.ts'
import { Pauses } from './schema/pauses.ts'
import { withTranslatedSchemas } from './schema/translate-request.ts'
import type { LoopRequest } from './steps/granted-request.ts'
import type { PromptLayout } from './steps/prompt-layout.ts'

/** Default limit: longer than any table, list or drawing, yet reached within seconds on any machine. */
const usualRepetitionLimit: RepetitionLimit = { minPieceTokens: 1, maxPieceTokens: 128, minCount: 2, minTokens: 1024 }

function toRepetitionLimit(limit: ChatRequest['repetitionLimit'] = 'usual'): RepetitionLimit | undefined {
  if (limit === 'none') return undefined
  return limit === 'usual' ? usualRepetitionLimit : limit
}

/**
 * Throws for pictures and recordings that the projector does not encode. The server refuses them too; here they would
 * silently be left out of the prompt.
 */
function requireTaken({ messages }: ChatRequest, { vision }: LoadedModel): void {
  for (const { content } of messages) {
    for (const part of content) {
      if (part.type === 'text' || (part.type === 'image' && vision?.projector.seesImages)) continue
      if (part.type === 'sound' && vision?.projector.hears) continue
      const noun = part.type === 'sound' ? 'a recording' : 'an image'
      throw refusedPart(part.param, `is ${noun}, which this model does not take. Send text`)
    }
  }
}

/** Throws if the scores of these prompts would be too many, or are of pictures. */
function requireScorable(prompts: readonly PromptLayout[], alternatives: number, { prompts: raw }: ChatRequest): void {
  if (prompts.some(({ runs }) => runs.length > 0)) {
    throw unsupportedParameter(
      'prompt_logprobs',
      ' beside images: only tokens have log probabilities. Leave one of them out.',
    )
  }
  requireFewScores(totalUnits(prompts), alternatives, raw === undefined ? 'messages' : 'prompt')
}

/** Throws for unknown token ids. Only the loaded model knows its vocabulary. */
function requireKnownTokens({ sampling }: ChatRequest, vocabularySize: number): void {
  const unknown = sampling.logitBias?.find(([token]) => token >= vocabularySize)
  if (unknown !== undefined) {
    const known = `its tokens are 0 to ${vocabularySize - 1}`
    throw refusedValue(`This model has no token ${unknown[0]}: ${known}.`, 'logit_bias')
  }
}

/**
 * Returns the request with schemas in llama.cpp's form, and the model within the limits of this request's rendering.
 */
export async function checked(loaded: LoadedModel, contextTokens: number, incoming: ChatRequest, signal: AbortSignal) {
  requireTaken(incoming, loaded)
  const request = await withTranslatedSchemas(incoming, new Pauses(signal))
  requireKnownTokens(request, loaded.model.info.vocabularySize)
  const model = withinRenderLimits(loaded, { request, contextTokens, signal })
  await requireRoom(model, request, contextTokens)
  const { vision, options } = loaded
  const { microBatchTokens: limitEntries, batchTokens } = options
  const seeing = vision && { ...vision, limitEntries, isShortOfMemory: limitEntries < batchTokens }
  return { request, model, tokenizer: { model, vision: seeing } }
}

/** Returns the number of tokens of a prompt, even if it is longer than the context. */
export async function countPrompt(
  loaded: LoadedModel,
  contextTokens: number,
  incoming: ChatRequest,
  signal: AbortSignal,
): Promise<number> {
  const { request, model, tokenizer } = await checked(loaded, contextTokens, incoming, signal)
  if (request.prompts !== undefined)
    return totalUnits(await layOutRawPrompts(loaded.model, request.prompts, contextTokens))
  return (await layOutPrompt(tokenizer, await renderRequest(model, request))).units.length
}

/** Request prepared for computation. */
interface Prepared {
  /** One prompt, or one for each raw prompt. */
  readonly prompts: readonly PromptLayout[]
  readonly setup: AnswerSetup
  readonly newReader: () => AnswerReader
}

async function prepare(
  loaded: LoadedModel,
  contextTokens: number,
  { request, model, tokenizer }: Awaited<ReturnType<typeof checked>>,
): Promise<Prepared> {
  if (request.prompts !== undefined) {
    const prompts = await layOutRawPrompts(loaded.model, request.prompts, contextTokens)
    return { prompts, setup: await rawSetup(model, request), newReader: () => new PlainReader() }
  }
  const setup = await preparePrompt(model, request)
  const prompt = await tokenizePrompt(tokenizer, setup, contextTokens)
  const isSingleCall = !request.parallelToolCalls
  return { prompts: [prompt], setup, newReader: () => new ReplyReader(setup.format, { isSingleCall }) }
}

function totalUnits(prompts: readonly PromptLayout[]): number {
  return prompts.reduce((sum, { units }) => sum + units.length, 0)
}

/** Renders, tokenises and checks a request. Throws ApiError for problems that the caller must fix. */
export async function toLoopRequest(
  loaded: LoadedModel,
  contextTokens: number,
  incoming: { readonly id: number; readonly accountId: string; readonly request: ChatRequest },
  signal: AbortSignal,
): Promise<LoopRequest> {
  const looked = await checked(loaded, contextTokens, incoming.request, signal)
  const { request } = looked
  const { prompts, setup, newReader } = await prepare(loaded, contextTokens, looked)
  if (request.promptScores !== undefined) requireScorable(prompts, request.promptScores, request)
  const randomSeed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
  const { maxTokens = Number.POSITIVE_INFINITY, repetitionLimit, choices, echoesPrompt = false } = request
  const choicesEach = choices / prompts.length
  const answers = prompts.flatMap((prompt, index) => {
    const room = contextTokens - prompt.units.length
    const raw = echoesPrompt ? request.prompts?.[index] : undefined
    const echo = raw && echoOf(loaded.model, raw)
    return Array.from({ length: choicesEach }, (_, choice) => {
      return new Answer({
        choice: index * choicesEach + choice,
        prompt,
        maxTokens: Math.min(maxTokens, room),
        isLimitedByContext: maxTokens > room,
        newSampler: samplerMaker({ loaded, request, setup, prompt, choice, randomSeed }, index + choice === 0),
        reader: newReader(),
        model: loaded.model,
        wantsLogprobs: request.topLogprobs !== undefined,
        reportsTokenIds: request.reportsTokenIds,
        promptScores: request.promptScores,
        reportsAllTokens: echoesPrompt && request.promptScores !== undefined && request.topLogprobs !== undefined,
        countsTokens: request.countsTokens,
        ...(echo !== undefined && { echo }),
        stops: request.stop,
        repetitionLimit: toRepetitionLimit(repetitionLimit),
      })
    })
  })
  const isConstrained = request.sampling.logitBias !== undefined || setup.grammar.text !== ''
  const shortest = Math.min(...prompts.map(({ units }) => units.length))
  const outputTokens = Math.min(maxTokens, contextTokens - shortest)
  const { id, accountId } = incoming
  // No account id contains a space.
  const owner = request.cacheSalt === undefined ? {} : { cacheOwner: `${accountId} ${request.cacheSalt}` }
  return { id, accountId, ...owner, promptTokens: totalUnits(prompts), outputTokens, isConstrained, answers }
}
