/** Conversation of the page and the actions on it. */
import { computed, signal } from '@preact/signals'
import { canRetry } from '../../api/failure.ts'
import { me, refreshMe } from '../../api/session.ts'
import { tell } from '../../parts/announce.tsx'
import { texts } from '../../texts/texts.ts'
import { type Answer, type Exchange, newId, type Question, type ToolCall } from './conversation.ts'
import { toMessages } from './messages.ts'
import { findReceipt } from './outcome.ts'
import { noSettings, settingFields } from './settings.ts'
import { Step } from './step.ts'
import { streamAnswer } from './stream-answer.ts'
import { readTools } from './tools.ts'
import { type Undo, watchChange } from './undo.ts'

export class Chat {
  readonly exchanges = signal<readonly Exchange[]>([])
  /** Models by column: one, or two that are compared. */
  readonly models = signal<readonly string[]>([''])
  readonly system = signal('')
  readonly settings = signal(noSettings)
  /** JSON text. */
  readonly tools = signal('')
  readonly isRunning = computed(() =>
    this.exchanges.value.some(({ answers }) =>
      answers.some((answer) =>
        answer?.steps.some((step) => step.state.value === 'waiting' || step.state.value === 'streaming'),
      ),
    ),
  )
  readonly undo = signal<Undo | undefined>(undefined)
  #running = new AbortController()

  /** Called after every change that should survive a reload. */
  onChange: () => void = () => undefined

  ask(question: Question): void {
    const exchange: Exchange = { id: newId(), question, answers: [] }
    this.exchanges.value = [...this.exchanges.value, exchange]
    for (const column of this.models.value.keys()) this.#answer(exchange.id, column)
  }

  /** Sends the edited question again and drops everything after it. */
  edit(id: number, question: Question): void {
    this.takeAway(texts.chat.undoEdit, () => {
      const index = this.exchanges.value.findIndex((exchange) => exchange.id === id)
      this.exchanges.value = this.exchanges.value.slice(0, index)
      this.ask(question)
    })
  }

  remove(id: number): void {
    this.takeAway(texts.chat.undoRemove, () => {
      this.exchanges.value = this.exchanges.value.filter((exchange) => exchange.id !== id)
    })
  }

  clear(): void {
    this.takeAway(texts.chat.undoClear, () => {
      this.exchanges.value = []
    })
  }

  /**
   * Requests a new answer to the last question in one column, from the model now chosen for it or, by default, the
   * same.
   */
  redo(id: number, column: number): void {
    const before = this.#find(id)?.answers[column]?.steps ?? []
    const redo = () => this.#answer(id, column)
    if (before.some(({ text }) => text !== '')) this.takeAway(texts.chat.undoRedo, redo, { stops: false })
    else redo()
  }

  /** Makes a change that can be undone until a model is asked again. By default stops a running request. */
  takeAway(text: string, change: () => void, { stops = true } = {}): void {
    const parts = [this.exchanges, this.models, this.system, this.settings, this.tools]
    if (stops) this.stop()
    const restoreChanged = watchChange(parts, change)
    this.undo.value = {
      text,
      act: () => {
        this.stop()
        restoreChanged()
        this.undo.value = undefined
        this.onChange()
      },
    }
    this.onChange()
  }

  /** Loads the receipts of answers that a reload of the page has cut off. */
  async findReceipts(): Promise<void> {
    const answers = this.exchanges.value.at(-1)?.answers ?? []
    const steps = answers.flatMap((answer) => answer?.steps ?? []).filter(({ receipt }) => receipt.value === undefined)
    for (const step of steps) step.receipt.value = await findReceipt(step)
    if (steps.length > 0) this.onChange()
  }

  /** Cancels running requests. The server stops their work when the connection ends. */
  stop(): void {
    this.#running.abort()
    this.#running = new AbortController()
  }

  /** Sets the result of a call. Sends nothing yet. */
  setResult(step: Step, call: ToolCall, result: string | undefined): void {
    const { id, name, arguments: text } = call
    const said: ToolCall = { id, name, arguments: text, ...(result !== undefined && { result }) }
    step.calls.value = step.calls.value.map((before) => (before.id === id ? said : before))
    this.onChange()
  }

  /** Sends the results of the calls to the model, which continues its answer. */
  sendResults(id: number, column: number): void {
    this.#answer(id, column, this.#find(id)?.answers[column])
  }

  /** Returns the body of the request that would be sent now, with `question` at its end. */
  draft(question: Question): object {
    const exchanges = [...this.exchanges.value, { id: 0, question, answers: [] }]
    return this.#body(this.models.value[0] ?? '', exchanges, 0)
  }

  /** Tells whether another request can give another answer: the failure may pass, or the request has changed. */
  canRedo(id: number, column: number): boolean {
    const exchange = this.#find(id)
    const answer = exchange?.answers[column]
    const step = answer?.steps.at(-1)
    const failure = step?.failure.value
    if (exchange === undefined || step === undefined || failure === undefined || canRetry(failure)) return true
    const isOfMoney = failure.facts.code === 'insufficient_balance'
    if (isOfMoney && me.value?.balanceUsd !== step.balanceUsd.value) return true
    const model = this.models.value[column] ?? answer?.model ?? ''
    const earlier = this.exchanges.value.slice(0, this.exchanges.value.indexOf(exchange))
    const now = this.#body(model, [...earlier, { ...exchange, answers: [] }], column)
    return JSON.stringify(now) !== JSON.stringify(step.request)
  }

  /** Starts a new answer, or a further step of the existing one. */
  #answer(id: number, column: number, before?: Answer): void {
    const exchange = this.#find(id)
    if (exchange === undefined) return
    this.undo.value = undefined
    const model = before?.model ?? this.models.value[column] ?? exchange.answers[column]?.model ?? ''
    const earlier = this.exchanges.value.slice(0, this.exchanges.value.indexOf(exchange))
    const told = { ...exchange, answers: replaced(new Array(column).fill(undefined), column, before) }
    const step = new Step(this.#body(model, [...earlier, told], column))
    const answer: Answer = { model, steps: [...(before?.steps ?? []), step] }
    const answers = replaced(exchange.answers, column, answer)
    this.exchanges.value = this.exchanges.value.map((one) => (one.id === id ? { ...exchange, answers } : one))
    this.onChange()
    void this.#run(step)
  }

  async #run(step: Step): Promise<void> {
    await streamAnswer(step, this.#running.signal, () => this.onChange())
    if (step.state.value === 'complete') tell(texts.chat.complete(step.words))
    step.balanceUsd.value = me.value?.balanceUsd
    this.onChange()
    step.receipt.value = await findReceipt(step)
    this.onChange()
    await refreshMe()
    step.balanceUsd.value = me.value?.balanceUsd
  }

  #body(model: string, exchanges: readonly Exchange[], column: number): object {
    const { tools } = readTools(this.tools.value)
    return {
      model,
      messages: toMessages({ system: this.system.value, exchanges, column }),
      stream: true,
      stream_options: { include_usage: true },
      ...settingFields(this.settings.value),
      ...(tools.length > 0 && { tools }),
    }
  }

  #find(id: number): Exchange | undefined {
    return this.exchanges.value.find((exchange) => exchange.id === id)
  }
}

function replaced<Item>(items: readonly Item[], index: number, item: Item): Item[] {
  const changed = [...items]
  changed[index] = item
  return changed
}
