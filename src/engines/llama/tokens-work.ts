/** Tokens of texts and chats, texts of tokens, and facts of the tokenizer. Long lists give the step loop its turns. */
import { listedTokens, type TokenList, type TokensOutput, type TokensRequest } from '../../core/tokens.ts'
import type { LoadedModel } from './load-model.ts'
import type { NativeModel } from './native.ts'
import { checked } from './prepare-request.ts'
import { renderRequest } from './prompt/prepare-prompt.ts'
import { beginsWithSpace, knownTokens, startedTokens } from './prompt/raw-prompt.ts'
import { Pauses } from './schema/pauses.ts'

interface TokensAnswer {
  /** Tokens of the text or the prompt; 0 where none are counted. */
  readonly promptTokens: number
  readonly outputs: readonly TokensOutput[]
}

/** Throws ApiError for unknown tokens, and for a chat that has no room in the context. */
export async function tokensWork(
  loaded: LoadedModel,
  contextTokens: number,
  request: TokensRequest,
  signal: AbortSignal,
): Promise<TokensAnswer> {
  const { model } = loaded
  const pauses = new Pauses(signal)
  switch (request.task) {
    case 'info':
      return { promptTokens: 0, outputs: [factsOf(model, contextTokens)] }
    case 'tokens':
      return { promptTokens: 0, outputs: await textsOf(model, request.tokens, pauses) }
    case 'text': {
      const { text, addsStart, parsesSpecial } = request
      const plain = await model.tokenize(text, false, parsesSpecial)
      const tokens = addsStart ? startedTokens(model, plain) : plain
      return {
        promptTokens: tokens.length,
        outputs: await listsOf(tokens, { ...request, model, contextTokens, pauses }),
      }
    }
    case 'chat':
    case 'template': {
      const looked = await checked(loaded, contextTokens, request, signal)
      const { prompt } = await renderRequest(looked.model, { ...looked.request, isClosed: request.isClosed })
      if (request.task === 'template') return { promptTokens: 0, outputs: [{ type: 'prompt-text', text: prompt }] }
      const tokens = await model.tokenize(prompt, true, true)
      return {
        promptTokens: tokens.length,
        outputs: await listsOf(tokens, { ...request, model, contextTokens, pauses }),
      }
    }
  }
}

interface Listing {
  readonly model: Pick<NativeModel, 'tokenBytes'>
  readonly contextTokens: number
  readonly hasPieces: boolean
  readonly pauses: Pauses
}

async function listsOf(
  all: Int32Array,
  { model, contextTokens, hasPieces, pauses }: Listing,
): Promise<readonly TokenList[]> {
  const lists: TokenList[] = []
  for (let at = 0; at === 0 || at < all.length; at += listedTokens) {
    const tokens = all.slice(at, at + listedTokens)
    await pauses.take()
    const pieces = hasPieces ? await piecesOf(model, tokens, pauses) : undefined
    lists.push({ type: 'tokens', tokens, contextTokens, ...(pieces && { pieces }) })
  }
  return lists
}

async function piecesOf(model: Pick<NativeModel, 'tokenBytes'>, tokens: ArrayLike<number>, pauses: Pauses) {
  const ends = new Int32Array(tokens.length)
  const pieces: Uint8Array[] = []
  let end = 0
  for (const [index, token] of Array.from(tokens).entries()) {
    await pauses.take()
    const piece = model.tokenBytes(token, true)
    pieces.push(piece)
    end += piece.length
    ends[index] = end
  }
  return { bytes: new Uint8Array(Bun.concatArrayBuffers(pieces)), ends }
}

/** Returns the text in parts. Where the vocabulary puts a space in front of every text, that space is taken off. */
async function textsOf(model: NativeModel, given: readonly number[], pauses: Pauses): Promise<TokensOutput[]> {
  const tokens = knownTokens(model, given, 'tokens')
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const outputs: TokensOutput[] = []
  for (let at = 0; at < tokens.length; at += listedTokens) {
    const { bytes } = await piecesOf(model, tokens.slice(at, at + listedTokens), pauses)
    outputs.push({ type: 'prompt-text', text: decoder.decode(bytes, { stream: at + listedTokens < tokens.length }) })
  }
  const [first, ...rest] = outputs
  if (first?.type !== 'prompt-text' || !first.text.startsWith(' ') || !(await beginsWithSpace(model))) return outputs
  return [{ ...first, text: first.text.slice(1) }, ...rest]
}

function factsOf(model: NativeModel, contextTokens: number): TokensOutput {
  const { info } = model
  const textOf = (token: number | undefined) =>
    token === undefined ? undefined : new TextDecoder().decode(model.tokenBytes(token, true))
  return {
    type: 'tokenizer',
    startToken: textOf(info.startToken),
    endToken: textOf(info.endToken),
    padToken: textOf(info.padToken),
    chatTemplate: info.chatTemplate,
    contextTokens,
  }
}
