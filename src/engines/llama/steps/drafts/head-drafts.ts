/** What the model's own draft head proposes to follow each answer, and when it is asked. */
import type { Answer } from '../../answer/answer.ts'
import type { NativeBatch, NativeStepResult } from '../../native.ts'
import type { StepPlan } from '../step-plan.ts'
import { HeadSwitch } from './head-switch.ts'
import { nothingProposed, type Proposal } from './ngram-drafts.ts'

/** With more answers and prompts at work it has no time to spare. */
const mostSequences = 4
/** How often each of its tokens is right where those before it are, before anything is known; and how many tries that weighs. */
const usualChance = 0.7
const usualWeight = 4
/** How much of what was learned is kept with each try. */
const memory = 0.98

interface Guess {
  /** Where the first of the tokens would stand in the answer's units. */
  readonly place: number
  readonly tokens: readonly number[]
}

type ComputedStep = Extract<NativeStepResult, { kind: 'ok' }>

export class HeadDrafts {
  readonly #mostTokens: number
  readonly #guesses = new WeakMap<Answer, Guess>()
  /** By the number of answers in a step. */
  readonly #switches = Array.from({ length: mostSequences }, () => new HeadSwitch())
  /** Of the first token that it proposes, the second, and so on. */
  readonly #records: { hits: number; tries: number }[]

  /** It proposes so many tokens at once. */
  constructor(mostTokens: number) {
    this.#mostTokens = mostTokens
    this.#records = Array.from({ length: mostTokens }, () => ({ hits: usualChance * usualWeight, tries: usualWeight }))
  }

  /** The step, with what the head shall do in it: read, and propose behind each answer. `working`: all answers, of other steps too. */
  batchOf({ batch, readers }: StepPlan, working: number): NativeBatch {
    const pays = working > mostSequences ? undefined : this.#switchOf(readers.length)
    if (pays === undefined || pays.rests || batch.embeddings !== undefined) return batch
    const { outputs } = batch
    // Where several answers begin behind one prompt, it proposes for the one that goes on in that sequence.
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

  /** The step has been computed, and what it brought is among the answers' units. */
  take({ readers, promptRows }: StepPlan, { samples, proposals = [] }: ComputedStep, ms: number): void {
    for (const [index, { answer }] of readers.entries()) {
      this.#learn(answer)
      this.#guesses.set(answer, { place: answer.units.length, tokens: proposals[index] ?? [] })
    }
    // In a step with prompts nothing is proposed.
    if (promptRows > 0) return
    const tokens = samples.reduce((sum, list) => sum + list.length, 0)
    this.#switchOf(readers.length)?.observe(tokens, ms)
  }

  /** From the units that came where it had guessed, whether the guess was used or not. */
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
