/** Proposals of the model's own draft head, and when it is used. */
import type { Answer } from '../../answer/answer.ts'
import type { NativeBatch, NativeStepResult } from '../../native.ts'
import type { StepPlan } from '../step-plan.ts'
import { HeadSwitch } from './head-switch.ts'
import { nothingProposed, type Proposal } from './ngram-drafts.ts'

/** Most answers and prompts in progress. Beyond that the head does not pay. */
const mostSequences = 4
/** Prior chance that a token is right after correct ones, and its weight in tries. */
const usualChance = 0.7
const usualWeight = 4
/** Share of earlier observations kept per try. */
const memory = 0.98

interface Guess {
  /** Index of the first proposed token among the answer's units. */
  readonly place: number
  readonly tokens: readonly number[]
}

type ComputedStep = Extract<NativeStepResult, { kind: 'ok' }>

export class HeadDrafts {
  readonly #mostTokens: number
  readonly #guesses = new WeakMap<Answer, Guess>()
  /** Switches by the number of answers in a step. */
  readonly #switches = Array.from({ length: mostSequences }, () => new HeadSwitch())
  /** Records by position among the proposed tokens. */
  readonly #records: { hits: number; tries: number }[]

  /** `mostTokens` is the number of tokens proposed at once. */
  constructor(mostTokens: number) {
    this.#mostTokens = mostTokens
    this.#records = Array.from({ length: mostTokens }, () => ({ hits: usualChance * usualWeight, tries: usualWeight }))
  }

  /**
   * Returns the step's batch with the head's work: reading, and proposing after each answer. `working` counts all
   * answers, including those of other steps.
   */
  batchOf({ batch, readers }: StepPlan, working: number): NativeBatch {
    const pays = working > mostSequences ? undefined : this.#switchOf(readers.length)
    if (pays === undefined || pays.rests || batch.embeddings !== undefined) return batch
    const { outputs } = batch
    // Several answers after one prompt: proposes only for the one that continues in that sequence.
    const isFirst = (entry: number, index: number) => outputs[index - 1]?.entry !== entry
    const wish = (entry: number, index: number) => (pays.isOn && isFirst(entry, index) ? this.#mostTokens : 0)
    return {
      ...batch,
      isFollowed: true,
      outputs: outputs.map((output, index) => ({ ...output, propose: wish(output.entry, index) })),
    }
  }

  propose(answer: Answer, most: number): Proposal {
    const guess = this.#guesses.get(answer)
    if (guess === undefined || guess.place !== answer.units.length) return nothingProposed
    const tokens = guess.tokens.slice(0, most)
    let chance = 1
    const chances = tokens.map((_, index) => {
      chance *= this.#chanceOf(index)
      return chance
    })
    return { tokens, chances }
  }

  /** Takes the result of a step, whose tokens are already among the answers' units. */
  take({ readers, promptRows }: StepPlan, { samples, proposals = [] }: ComputedStep, ms: number): void {
    for (const [index, { answer }] of readers.entries()) {
      this.#learn(answer)
      this.#guesses.set(answer, { place: answer.units.length, tokens: proposals[index] ?? [] })
    }
    // Steps with prompts have no proposals.
    if (promptRows > 0) return
    const tokens = samples.reduce((sum, list) => sum + list.length, 0)
    this.#switchOf(readers.length)?.observe(tokens, ms)
  }

  /** Learns from the units at guessed places, whether the guess was used or not. */
  #learn(answer: Answer): void {
    const { place, tokens } = this.#guesses.get(answer) ?? { place: 0, tokens: [] }
    for (const [index, token] of tokens.entries()) {
      const unit = answer.units[place + index]
      const record = this.#records[index]
      if (unit === undefined || record === undefined) return
      record.hits = record.hits * memory + Number(unit === token)
      record.tries = record.tries * memory + 1
      if (unit !== token) return
    }
  }

  #chanceOf(index: number): number {
    const record = this.#records[index]
    return record === undefined ? 0 : record.hits / record.tries
  }

  #switchOf(answers: number): HeadSwitch | undefined {
    return this.#switches[Math.max(1, answers) - 1]
  }
}
