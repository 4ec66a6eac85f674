/** The conversation of the page, and what can be done to it. */
import { computed, signal } from '@preact/signals'
import { refreshMe } from '../../api/session.ts'
import { announce } from '../../parts/announce.tsx'
import { loadReceipt, type Receipt } from '../../parts/play/receipt.ts'
import { texts } from '../../texts/texts.ts'
import type { Answer, Exchange, Question, ToolCall } from './conversation.ts'
import { toMessages } from './messages.ts'
import { noSettings, settingFields } from './settings.ts'
import { Step } from './step.ts'
import { streamAnswer } from './stream-answer.ts'
import { readTools } from './tools.ts'

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
  #running = new AbortController()
  #lastId = 0

  /** Hears of everything that should survive a reload. */
  onChange: () => void = () => undefined

  ask(question: Question): void {
    const exchange: Exchange = { id: this.newId(), question, answers: [] }
    this.exchanges.value = [...this.exchanges.value, exchange]
    for (const column of this.models.value.keys()) this.#answer(exchange.id, column)
  }

  /** Asks the changed question anew; what came after it is forgotten. */
  edit(id: number, question: Question): void {
    this.stop()
    const index = this.exchanges.value.findIndex((exchange) => exchange.id === id)
    this.exchanges.value = this.exchanges.value.slice(0, index)
    this.ask(question)
  }

  remove(id: number): void {
    this.stop()
    this.exchanges.value = this.exchanges.value.filter((exchange) => exchange.id !== id)
    this.onChange()
  }

  clear(): void {
    this.stop()
    this.exchanges.value = []
    this.onChange()
  }

  /** Has the last question answered again in one column, by the model that is chosen for it now, or else by the same. */
  redo(id: number, column: number): void {
    this.#answer(id, column)
  }

  /** Cancels what runs: the server stops when the connection ends. */
  stop(): void {
    this.#running.abort()
    this.#running = new AbortController()
  }

  /** Says what a call came to; nothing is sent yet. */
  setResult(step: Step, call: ToolCall, result: string | undefined): void {
    const { id, name, arguments: text } = call
    const said: ToolCall = { id, name, arguments: text, ...(result !== undefined && { result }) }
    step.calls.value = step.calls.value.map((before) => (before.id === id ? said : before))
  }

  /** Lets the model go on with the results of its calls. */
  sendResults(id: number, column: number): void {
    this.#answer(id, column, this.#find(id)?.answers[column])
  }

  /** The body of the request that would be sent now; `question` is not asked yet. */
  draft(question: Question): object {
    const exchanges = [...this.exchanges.value, { id: 0, question, answers: [] }]
    return this.#body(this.models.value[0] ?? '', exchanges, 0)
  }

  newId(): number {
    this.#lastId = Math.max(this.#lastId, ...this.exchanges.value.map(({ id }) => id)) + 1
    return this.#lastId
  }

  /** A new answer, or a step more of the one that is there. */
  #answer(id: number, column: number, before?: Answer): void {
    const exchange = this.#find(id)
    if (exchange === undefined) return
    const model = before?.model ?? this.models.value[column] ?? exchange.answers[column]?.model ?? ''
    const earlier = this.exchanges.value.slice(0, this.exchanges.value.indexOf(exchange))
    const told = { ...exchange, answers: replaced(new Array(column).fill(undefined), column, before) }
    const step = new Step(this.#body(model, [...earlier, told], column))
    const answer: Answer = { model, steps: [...(before?.steps ?? []), step] }
    const answers = replaced(exchange.answers, column, answer)
    this.exchanges.value = this.exchanges.value.map((one) => (one.id === id ? { ...exchange, answers } : one))
    void this.#run(step)
  }

  async #run(step: Step): Promise<void> {
    await streamAnswer(step, this.#running.signal)
    if (step.state.value === 'complete') announce(texts.chat.complete(countWords(step.text)))
    this.onChange()
    step.receipt.value = await findReceipt(step)
    this.onChange()
    await refreshMe()
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

export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0
}

/** What a request came to; one that was refused left no record. */
async function findReceipt({ requestId, failure }: Step): Promise<Receipt | undefined> {
  const isRefused = (failure.value?.facts.status ?? 0) >= 400
  if (requestId === undefined || isRefused) return undefined
  return loadReceipt(requestId).catch(() => undefined)
}

function replaced<Item>(items: readonly Item[], index: number, item: Item): Item[] {
  const changed = [...items]
  changed[index] = item
  return changed
}
