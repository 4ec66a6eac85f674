/** The visible text of one answer, cut at stop strings, with its tokens. */
import type { ChatOutput, ChatRequest, TokenLogprob } from '../../../../core/chat.ts'
import { StopMatcher } from '../../../shared/messages/stop-matcher.ts'
import { TextTokens } from '../../../shared/messages/text-tokens.ts'

type TextOutput = Extract<ChatOutput, { readonly type: 'text-delta' | 'reasoning-delta' }>

export class TextReader {
  readonly #choice: number
  readonly #stops: StopMatcher
  /** Undefined if no log probabilities are wanted. */
  readonly #tokens: TextTokens<TokenLogprob> | undefined
  /** Length of the answer so far, by the text of its tokens. */
  #received = 0

  constructor(choice: number, { stop, topLogprobs }: Pick<ChatRequest, 'stop' | 'topLogprobs'>) {
    this.#choice = choice
    this.#stops = new StopMatcher(stop)
    if (topLogprobs !== undefined) this.#tokens = new TextTokens()
  }

  /**
   * Adds the tokens of the next piece. `isText`: the piece is unchanged text, or empty so far. If the tokens' own
   * texts differ from the piece, as for a character split over several, all of them belong to the whole piece.
   */
  addTokens(piece: string, tokens: readonly TokenLogprob[], isText: boolean): void {
    if (this.#tokens === undefined) return
    if (!isText) {
      this.#add(' ', tokens)
      this.#tokens.skipAll()
    } else if (tokens.map(({ token }) => token).join('') !== piece) this.#add(piece, tokens)
    else for (const token of tokens) this.#add(token.token, [token])
  }

  /**
   * Adds the text that ends the piece of the last added tokens. `stop` is the stop string that ended it; nothing may
   * follow.
   */
  say(text: string): { readonly outputs: readonly TextOutput[]; readonly stop: string | undefined } {
    this.#tokens?.say(text.length, this.#received)
    const matched = this.#stops.push(text)
    return { outputs: this.#toOutputs(matched.text), stop: matched.stop }
  }

  /** Returns held text, which begins no stop string, because an event other than text follows. */
  flush(): readonly TextOutput[] {
    return this.#toOutputs(this.#stops.flush())
  }

  #add(piece: string, tokens: readonly TokenLogprob[]): void {
    this.#received += piece.length
    this.#tokens?.add(piece, ...tokens)
  }

  #toOutputs(text: string): TextOutput[] {
    if (text === '') return []
    const logprobs = this.#tokens?.take(text.length)
    return [{ type: 'text-delta', choice: this.#choice, text, ...(logprobs && { logprobs }) }]
  }
}
