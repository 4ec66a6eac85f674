import type { UsageFinish } from '../billing/usage-store.ts'
import type { ResolvedModel } from '../catalog/catalog.ts'
import type { ChatEvent, ChatRequest } from '../core/chat.ts'
import { pricingOf } from '../core/pricing-of.ts'
import { kindsOfWork } from '../core/work.ts'
import type { EnginePool } from '../engines/pool.ts'
import { ChatMeter } from './chat-meter.ts'
import { installedModel } from './installed-model.ts'
import { type Bill, type MeteredOptions, metered } from './metered.ts'
import { requireType } from './resolve-model.ts'
import { withDefaults } from './with-defaults.ts'

/** The part of the engine pool that runs work. */
export type WorkEngines = Pick<EnginePool, 'run'>

export interface StartChatOptions {
  readonly request: ChatRequest
  readonly resolved: ResolvedModel
  readonly pool: WorkEngines
  /** Where its money comes from; the model's name and prices are added here. */
  readonly payment: Omit<MeteredOptions, 'call'> & {
    readonly call: Omit<MeteredOptions['call'], 'model' | 'pricing' | 'isPriced'>
    /** Output tokens that are held at a time for an answer without a limit of its own. */
    readonly sliceTokens: number
    /** Page on which funds are added. */
    readonly billingUrl: string
  }
}

export type StartEvent = Extract<ChatEvent, { type: 'start' }>
type ChoiceFinish = Extract<ChatEvent, { type: 'choice-finish' }>

/** A request that an engine has accepted. Whoever holds it must consume `rest` or call its `return`. */
export interface StartedChat {
  readonly start: StartEvent
  readonly rest: AsyncGenerator<ChatEvent>
}

/**
 * Runs a chat, loading the model if need be, and resolves once the engine has accepted the prompt and its money is held:
 * everything that can be refused is refused before that, as an ApiError that is still a status. Later failures are thrown
 * by `rest`. Aborting the payment's signal ends the engine's work; `rest` then throws the signal's reason. The `finish`
 * event comes after the charge is on disk.
 */
export async function startChat({ request, resolved, pool, payment }: StartChatOptions): Promise<StartedChat> {
  requireType(resolved, kindsOfWork.chat.modelTypes, 'chat')
  const model = installedModel(resolved.entry)
  const { manifest } = model
  const call = { ...payment.call, model: manifest.id, ...pricingOf(manifest) }
  const rest = metered({ ...payment, call }, async function* (bill) {
    const { sliceTokens, billingUrl, signal } = payment
    const isLimited = request.maxTokens !== undefined
    const meter = new ChatMeter({ bill, choices: request.choices, isLimited, sliceTokens, billingUrl })
    meter.check()
    const work = { kind: 'chat', request: withDefaults(request, manifest, resolved.alias) } as const
    yield* settled(bill, meter, pool.run(model, work, { accountId: call.accountId, signal, meter }))
  })
  const first = await rest.next()
  if (first.done === true || first.value.type !== 'start') {
    await rest.return(undefined)
    throw new Error('the engine did not begin with a start event: this is a bug')
  }
  return { start: first.value, rest }
}

/** The events, the last of them held back until the bill is settled. */
async function* settled(bill: Bill, meter: ChatMeter, events: AsyncGenerator<ChatEvent>): AsyncGenerator<ChatEvent> {
  const ends: ChoiceFinish[] = []
  for await (const event of events) {
    if (event.type === 'choice-finish') ends.push(event)
    if (event.type === 'finish') {
      await bill.finish(event.usage, usageFinish(ends, meter.isOutOfBalance))
    }
    yield event
  }
}

/** One word for all choices: the one that a reader of the receipt wonders about. */
function usageFinish(ends: readonly ChoiceFinish[], isOutOfBalance: boolean): UsageFinish {
  if (ends.some(({ isRepetition }) => isRepetition)) return 'repetition'
  if (ends.some(({ reason }) => reason === 'length')) return isOutOfBalance ? 'out_of_balance' : 'length'
  return ends.some(({ reason }) => reason === 'tool-calls') ? 'tool_calls' : 'stop'
}
