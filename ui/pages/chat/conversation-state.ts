/** Conversation of the page: its settings, and the questions and answers that are requested with them. */
import { signal } from '@preact/signals'
import { refreshMe } from '../../api/session.ts'
import { tell } from '../../parts/announce.tsx'
import { texts } from '../../texts/texts.ts'
import { canDiffer, toRequest } from './chat-request.ts'
import { type Answer, type Exchange, newId, type Question, type ToolCall } from './conversation.ts'
import { ExchangeTree } from './exchange-tree.ts'
import { findReceipt } from './outcome.ts'
import { payersBalance } from './payers-balance.ts'
import { noSettings } from './settings.ts'
import { Step } from './step.ts'
import { streamAnswer } from './stream-answer.ts'
import type { Undo } from './undo.ts'

export class Chat extends ExchangeTree {
  readonly id: number
  /** Models by column: one, or two that are compared. */
  readonly models = signal<readonly string[]>([''])
  readonly system = signal('')
  readonly settings = signal(noSettings)
  /** JSON text. */
  readonly tools = signal('')
  readonly undo = signal<Undo | undefined>(undefined)
  #running = new AbortController()

  constructor(id: number = newId()) {
    super()
    this.id = id
  }

  ask(question: Question): void {
    this.begin({ parent: this.exchanges.value.at(-1)?.id ?? 0, question, questionId: newId(), answers: [] })
    for (const column of this.models.value.keys()) this.#answer(this.leaf.value, column)
  }

  /** Sends the edited question as another version of the exchange. */
  edit(id: number, question: Question): void {
    const before = this.find(id)
    if (before === undefined) return
    this.stop()
    this.begin({ parent: before.parent, question, questionId: newId(), answers: [] })
    for (const column of this.models.value.keys()) this.#answer(this.leaf.value, column)
  }

  /** Removes an exchange. The ones after it stay. */
  remove(id: number): void {
    const before = this.find(id)
    if (before === undefined) return
    this.stop()
    const path = this.exchanges.value
    const set = (isRemoved: boolean) => {
      this.replace({ ...before, answers: this.find(id)?.answers ?? [], isRemoved })
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
    const before = this.find(id)
    if (before === undefined) return
    const isEmpty = before.answers[column]?.steps.every(({ text }) => text === '') ?? true
    if (!isEmpty) this.begin(before)
    this.#answer(isEmpty ? id : this.leaf.value, column)
  }

  /** Loads the receipts of answers that a reload of the page has cut off. */
  async findReceipts(): Promise<void> {
    const answers = this.exchanges.value.at(-1)?.answers ?? []
    const steps = answers.flatMap((answer) => answer?.steps ?? []).filter(({ receipt }) => receipt.value === undefined)
    for (const step of steps) {
      step.receipt.value = await findReceipt(step)
      this.report(step)
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
    this.report(step)
  }

  /** Sends the results of the calls to the model, which continues its answer. */
  sendResults(id: number, column: number): void {
    this.#answer(id, column, this.find(id)?.answers[column])
  }

  /** Returns the body of the request that would be sent now, with `question` at its end. */
  draft(question: Question): object {
    const place = { id: 0, parent: 0, questionId: 0, askedAtMs: 0 }
    const exchanges = [...this.exchanges.value, { ...place, question, answers: [] }]
    return this.#body(this.models.value[0] ?? '', exchanges, 0)
  }

  /** Tells whether another request can give another answer: the failure may pass, or the request has changed. */
  canRedo(id: number, column: number): boolean {
    const exchange = this.find(id)
    const answer = exchange?.answers[column]
    const step = answer?.steps.at(-1)
    if (exchange === undefined || step === undefined) return true
    if (step.isElsewhere) return false
    const model = this.models.value[column] ?? answer?.model ?? ''
    const now = () => this.#body(model, [...this.before(exchange), { ...exchange, answers: [] }], column)
    return canDiffer(step, now, payersBalance())
  }

  /** Starts a new answer, or a further step of the existing one. */
  #answer(id: number, column: number, before?: Answer): void {
    const exchange = this.find(id)
    if (exchange === undefined) return
    this.undo.value = undefined
    const model = before?.model ?? this.models.value[column] ?? exchange.answers[column]?.model ?? ''
    const earlier = this.before(exchange)
    const told = { ...exchange, answers: replaced(new Array(column).fill(undefined), column, before) }
    const step = new Step(this.#body(model, [...earlier, told], column))
    const answer: Answer = { model, steps: [...(before?.steps ?? []), step] }
    this.replace({ ...exchange, answers: replaced(exchange.answers, column, answer) })
    void this.#run(step)
  }

  async #run(step: Step): Promise<void> {
    await streamAnswer(step, this.#running.signal, () => this.report(step))
    if (step.state.value === 'complete') tell(texts.chat.complete(step.words))
    step.balanceUsd.value = payersBalance()
    this.report(step)
    step.receipt.value = await findReceipt(step)
    this.report(step)
    await refreshMe()
    step.balanceUsd.value = payersBalance()
  }

  #body(model: string, exchanges: readonly Exchange[], column: number): object {
    const { system, settings, tools } = this
    return toRequest({
      ...{ model, exchanges, column },
      ...{ system: system.value, settings: settings.value, tools: tools.value },
    })
  }
}

function replaced<Item>(items: readonly Item[], index: number, item: Item): Item[] {
  const changed = [...items]
  changed[index] = item
  return changed
}
