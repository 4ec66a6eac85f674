/** Conversation of the page and the actions on it. */
import { computed, signal } from '@preact/signals'
import { canRetry } from '../../api/failure.ts'
import { me, refreshMe } from '../../api/session.ts'
import { tell } from '../../parts/announce.tsx'
import { texts } from '../../texts/texts.ts'
import { type Answer, type Exchange, newId, type Question, type ToolCall } from './conversation.ts'
import { newestLeaf, pathTo, withoutRemoved } from './kept/tree.ts'
import { toMessages } from './messages.ts'
import { findReceipt } from './outcome.ts'
import { noSettings, settingFields } from './settings.ts'
import { Step } from './step.ts'
import { streamAnswer } from './stream-answer.ts'
import { readTools } from './tools.ts'
import type { Undo } from './undo.ts'

export class Chat {
  readonly id: number
  /** Exchanges of all branches. */
  readonly all = signal<readonly Exchange[]>([])
  readonly branches = computed(() => withoutRemoved(this.all.value))
  /** Exchange at the end of the shown branch. */
  readonly leaf = signal(0)
  /** Exchanges of the shown branch, the first one first. */
  readonly exchanges = computed<readonly Exchange[]>(() => pathTo(this.branches.value, this.leaf.value))
  /** Models by column: one, or two that are compared. */
  readonly models = signal<readonly string[]>([''])
  readonly system = signal('')
  readonly settings = signal(noSettings)
  /** JSON text. */
  readonly tools = signal('')
  readonly isRunning = computed(() => this.all.value.some(isRunning))
  readonly undo = signal<Undo | undefined>(undefined)
  #running = new AbortController()

  /** Called after a change of the title, the models, the settings or the shown branch. */
  onChange: () => void = () => undefined
  /** Called after a change of an exchange. */
  onExchange: (exchange: Exchange) => void = () => undefined

  constructor(id: number = newId()) {
    this.id = id
  }

  ask(question: Question): void {
    this.#begin({ parent: this.exchanges.value.at(-1)?.id ?? 0, question, questionId: newId(), answers: [] })
    for (const column of this.models.value.keys()) this.#answer(this.leaf.value, column)
  }

  /** Sends the edited question as another version of the exchange. */
  edit(id: number, question: Question): void {
    const before = this.#find(id)
    if (before === undefined) return
    this.stop()
    this.#begin({ parent: before.parent, question, questionId: newId(), answers: [] })
    for (const column of this.models.value.keys()) this.#answer(this.leaf.value, column)
  }

  /** Removes an exchange. The ones after it stay. */
  remove(id: number): void {
    const before = this.#find(id)
    if (before === undefined) return
    this.stop()
    const path = this.exchanges.value
    const set = (isRemoved: boolean) => {
      this.#replace({ ...before, answers: this.#find(id)?.answers ?? [], isRemoved })
      this.onChange()
    }
    const wasLeaf = path.at(-1)?.id === id
    if (wasLeaf) this.leaf.value = path.at(-2)?.id ?? 0
    set(true)
    this.undo.value = {
      text: texts.chat.undoRemove,
      act: () => {
        this.stop()
        this.undo.value = undefined
        if (wasLeaf) this.leaf.value = id
        set(false)
      },
    }
  }

  /**
   * Requests another answer to the question in one column, from the model now chosen for it or, by default, the same.
   * An answer with text stays as a version.
   */
  redo(id: number, column: number): void {
    const before = this.#find(id)
    if (before === undefined) return
    const isEmpty = before.answers[column]?.steps.every(({ text }) => text === '') ?? true
    if (!isEmpty) this.#begin(before)
    this.#answer(isEmpty ? id : this.leaf.value, column)
  }

  /** Shows the branch of a version, to its newest end. */
  show(id: number): void {
    this.leaf.value = newestLeaf(this.branches.value, id)
    this.onChange()
  }

  /** Takes over exchanges that another tab has changed. Running ones stay. */
  merge(exchanges: readonly Exchange[]): void {
    const end = this.exchanges.value.at(-1)?.id
    const byId = new Map(this.all.value.map((exchange) => [exchange.id, exchange]))
    for (const exchange of exchanges) {
      const before = byId.get(exchange.id)
      if (before === undefined || !isRunning(before)) byId.set(exchange.id, exchange)
    }
    this.all.value = [...byId.values()]
    if (end !== undefined && !this.isRunning.value) this.leaf.value = newestLeaf(this.branches.value, end)
  }

  /** Loads the receipts of answers that a reload of the page has cut off. */
  async findReceipts(): Promise<void> {
    const answers = this.exchanges.value.at(-1)?.answers ?? []
    const steps = answers.flatMap((answer) => answer?.steps ?? []).filter(({ receipt }) => receipt.value === undefined)
    for (const step of steps) {
      step.receipt.value = await findReceipt(step)
      this.#tell(step)
    }
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
    this.#tell(step)
  }

  /** Sends the results of the calls to the model, which continues its answer. */
  sendResults(id: number, column: number): void {
    this.#answer(id, column, this.#find(id)?.answers[column])
  }

  /** Returns the body of the request that would be sent now, with `question` at its end. */
  draft(question: Question): object {
    const place = { id: 0, parent: 0, questionId: 0, askedAtMs: 0 }
    const exchanges = [...this.exchanges.value, { ...place, question, answers: [] }]
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
    const earlier = this.#before(exchange)
    const now = this.#body(model, [...earlier, { ...exchange, answers: [] }], column)
    return JSON.stringify(now) !== JSON.stringify(step.request)
  }

  /** Starts a new answer, or a further step of the existing one. */
  #answer(id: number, column: number, before?: Answer): void {
    const exchange = this.#find(id)
    if (exchange === undefined) return
    this.undo.value = undefined
    const model = before?.model ?? this.models.value[column] ?? exchange.answers[column]?.model ?? ''
    const earlier = this.#before(exchange)
    const told = { ...exchange, answers: replaced(new Array(column).fill(undefined), column, before) }
    const step = new Step(this.#body(model, [...earlier, told], column))
    const answer: Answer = { model, steps: [...(before?.steps ?? []), step] }
    this.#replace({ ...exchange, answers: replaced(exchange.answers, column, answer) })
    void this.#run(step)
  }

  async #run(step: Step): Promise<void> {
    await streamAnswer(step, this.#running.signal, () => this.#tell(step))
    if (step.state.value === 'complete') tell(texts.chat.complete(step.words))
    step.balanceUsd.value = me.value?.balanceUsd
    this.#tell(step)
    step.receipt.value = await findReceipt(step)
    this.#tell(step)
    await refreshMe()
    step.balanceUsd.value = me.value?.balanceUsd
  }

  /** Adds an exchange as the newest one and shows it. */
  #begin(content: Pick<Exchange, 'parent' | 'question' | 'questionId' | 'answers'>): void {
    const { parent, question, questionId, answers } = content
    const newestMs = Math.max(0, ...this.all.value.map(({ askedAtMs }) => askedAtMs))
    // Keeps the order also after the clock was set back.
    const askedAtMs = Math.max(Date.now(), newestMs + 1)
    const exchange: Exchange = { id: newId(), parent, questionId, askedAtMs, question, answers }
    this.all.value = [...this.all.value, exchange]
    this.leaf.value = exchange.id
    this.onChange()
  }

  #replace(exchange: Exchange): void {
    this.all.value = this.all.value.map((one) => (one.id === exchange.id ? exchange : one))
    this.onExchange(exchange)
  }

  /** Reports a change of a step. Versions of an exchange may share it. */
  #tell(step: Step): void {
    for (const exchange of this.all.value)
      if (exchange.answers.some((answer) => answer?.steps.includes(step))) this.onExchange(exchange)
  }

  /** Returns the shown exchanges before the given one. */
  #before({ id }: Exchange): readonly Exchange[] {
    const index = this.exchanges.value.findIndex((exchange) => exchange.id === id)
    return this.exchanges.value.slice(0, Math.max(0, index))
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
    return this.all.value.find((exchange) => exchange.id === id)
  }
}

/** Tells whether an answer of the exchange is not at its end yet. */
export function isRunning({ answers }: Exchange): boolean {
  return answers.some((answer) => answer?.steps.some((step) => step.isRunning))
}

function replaced<Item>(items: readonly Item[], index: number, item: Item): Item[] {
  const changed = [...items]
  changed[index] = item
  return changed
}
