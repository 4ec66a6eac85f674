/**
 * Whether asking the draft head pays, found out by doing both: most steps go the way that has taken less time a token, and now and
 * then a few go the other.
 */

/** Steps of a trial. */
const trialSteps = 24
/** Steps between two trials; twice as many whenever a trial has changed nothing. */
const leastSteps = 128
const mostSteps = 16_384
/** How much of what was measured is kept with each step. */
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
  /** The first thing that happens is a trial of the head. */
  #isTrial = false
  #stepsLeft = trialSteps
  #periodSteps = leastSteps
  /** The first step of a way does not count: the one before has left nothing for it. */
  #isFirst = true

  /** The head proposes. */
  get isOn(): boolean {
    return this.#way === 'on'
  }

  /** The head need not even read. While its absence is tried it reads, so that it knows the text afterwards. */
  get rests(): boolean {
    return this.#way === 'off' && !this.#isTrial
  }

  /** A step of the present way brought so many tokens. */
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
