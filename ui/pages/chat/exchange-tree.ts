/** Exchanges of a conversation as a tree, of which the page shows one branch. */
import { computed, signal } from '@preact/signals'
import { type Exchange, newId } from './conversation.ts'
import { newestLeaf, pathTo, withoutRemoved } from './kept/tree.ts'
import type { Step } from './step.ts'

export class ExchangeTree {
  /** Exchanges of all branches. */
  readonly all = signal<readonly Exchange[]>([])
  readonly branches = computed(() => withoutRemoved(this.all.value))
  /** Exchange at the end of the shown branch. */
  readonly leaf = signal(0)
  /** Exchanges of the shown branch, the first one first. */
  readonly exchanges = computed<readonly Exchange[]>(() => pathTo(this.branches.value, this.leaf.value))
  readonly isRunning = computed(() => this.all.value.some(isRunning))

  /** Called after a change of the title, the models, the settings or the shown branch. */
  onChange: () => void = () => undefined
  /** Called after a change of an exchange. */
  onExchange: (exchange: Exchange) => void = () => undefined

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

  /** Adds an exchange as the newest one and shows it. */
  protected begin(content: Pick<Exchange, 'parent' | 'question' | 'questionId' | 'answers'>): void {
    const { parent, question, questionId, answers } = content
    const newestMs = Math.max(0, ...this.all.value.map(({ askedAtMs }) => askedAtMs))
    // Keeps the order also after the clock was set back.
    const askedAtMs = Math.max(Date.now(), newestMs + 1)
    const exchange: Exchange = { id: newId(), parent, questionId, askedAtMs, question, answers }
    this.all.value = [...this.all.value, exchange]
    this.leaf.value = exchange.id
    this.onChange()
  }

  protected replace(exchange: Exchange): void {
    this.all.value = this.all.value.map((one) => (one.id === exchange.id ? exchange : one))
    this.onExchange(exchange)
  }

  /** Reports a change of a step. Versions of an exchange may share it. */
  protected report(step: Step): void {
    for (const exchange of this.all.value)
      if (exchange.answers.some((answer) => answer?.steps.includes(step))) this.onExchange(exchange)
  }

  protected find(id: number): Exchange | undefined {
    return this.all.value.find((exchange) => exchange.id === id)
  }

  /** Returns the shown exchanges before the given one. */
  protected before({ id }: Exchange): readonly Exchange[] {
    const index = this.exchanges.value.findIndex((exchange) => exchange.id === id)
    return this.exchanges.value.slice(0, Math.max(0, index))
  }
}

/** Tells whether an answer of the exchange is not at its end yet. */
export function isRunning({ answers }: Exchange): boolean {
  return answers.some((answer) => answer?.steps.some((step) => step.isRunning))
}
