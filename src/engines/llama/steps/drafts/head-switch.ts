/**
 * Decides by measurement whether the draft head pays. Most steps go the way that took less time per token; now and then
 * a few go the other way.
 */

/** Steps of a trial. */
const trialSteps = 24
/** Steps between two trials, doubled whenever a trial changes nothing. */
const leastSteps = 128
const mostSteps = 16_384
/** Share of earlier measurements kept per step. */
const memory = 0.95

class Way {
  #ms = 0
  #tokens = 0

  add(tokens: number, ms: number): void {
    this.#tokens = this.#tokens * memory + tokens
    this.#ms = this.#ms * memory + ms
  }

  get msPerToken(): number {
    return this.#ms / this.#tokens
  }
}

export class HeadSwitch {
  readonly #ways = { on: new Way(), off: new Way() }
  #way: 'on' | 'off' = 'on'
  /** True during a trial. The first one tries the head. */
  #isTrial = false
  #stepsLeft = trialSteps
  #periodSteps = leastSteps
  /** True for the first step of a way, which does not count: the step before left no proposals for it. */
  #isFirst = true

  /** True if the head proposes. */
  get isOn(): boolean {
    return this.#way === 'on'
  }

  /** True if the head need not even read. During a trial without it, it reads, so that it knows the text afterwards. */
  get rests(): boolean {
    return this.#way === 'off' && !this.#isTrial
  }

  /** Records a step of the present way with its number of tokens. */
  observe(tokens: number, ms: number): void {
    if (this.#isFirst) this.#isFirst = false
    else this.#ways[this.#way].add(tokens, ms)
    this.#stepsLeft--
    if (this.#stepsLeft > 0) return
    if (this.#isTrial) this.#decide()
    else this.#try()
  }

  #try(): void {
    this.#isTrial = true
    this.#stepsLeft = trialSteps
    this.#turn()
  }

  #decide(): void {
    const { on, off } = this.#ways
    const better = on.msPerToken < off.msPerToken ? 'on' : 'off'
    const isNew = better === this.#way
    this.#periodSteps = isNew ? leastSteps : Math.min(mostSteps, 2 * this.#periodSteps)
    this.#stepsLeft = this.#periodSteps
    this.#isTrial = false
    if (!isNew) this.#turn()
  }

  #turn(): void {
    this.#way = this.#way === 'on' ? 'off' : 'on'
    this.#isFirst = true
  }
}
