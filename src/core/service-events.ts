/**
 * Events of the service that an operator's own systems may learn of. They hold ids and amounts, and never a mail address,
 * a person's name or a text of a request.
 */
import { nanoToDecimal } from './money.ts'
import { tomlKey } from './setting.ts'

/** `id`: an id, a model's name or a code. `nano-usd`: an amount. `bytes`: a size. `time`: milliseconds UTC. */
type FieldKind = 'id' | 'nano-usd' | 'bytes' | 'time'

interface EventRow {
  /** Sentence that says when the event occurs. */
  readonly help: string
  readonly fields: Readonly<Record<string, FieldKind>>
}

/** Every event with its fields. */
export const serviceEvents = {
  'balance.low': {
    help: 'The balance of an account fell below balance-low-usd.',
    fields: { account: 'id', balanceNanoUsd: 'nano-usd', limitNanoUsd: 'nano-usd' },
  },
  'budget.80': {
    help: 'A budget is spent to four fifths. The subject is an account or a key, the period a day or a month.',
    fields: { account: 'id', subject: 'id', period: 'id', spentNanoUsd: 'nano-usd', budgetNanoUsd: 'nano-usd' },
  },
  'budget.100': {
    help: 'A budget is spent.',
    fields: { account: 'id', subject: 'id', period: 'id', spentNanoUsd: 'nano-usd', budgetNanoUsd: 'nano-usd' },
  },
  'model.failed': { help: 'A model could not be loaded, or its engine ended.', fields: { model: 'id', code: 'id' } },
  'endpoint.down': { help: 'An endpoint of an upstream model gets no requests.', fields: { model: 'id', host: 'id' } },
  'backup.failed': { help: 'A backup could not be made.', fields: { failedMs: 'time' } },
  'disk.low': {
    help: 'The disk of the data folder has less than a tenth left.',
    fields: { freeBytes: 'bytes', totalBytes: 'bytes' },
  },
  'certificate.expiring': {
    help: 'A certificate of this server ends soon and could not be renewed.',
    fields: { host: 'id', expiresMs: 'time' },
  },
  'identity.refused': {
    help: 'A sign-in by an identity provider was refused.',
    fields: { provider: 'id', code: 'id' },
  },
  'doctor.problem': { help: 'A check of the doctor found a problem.', fields: { check: 'id', verdict: 'id' } },
} as const satisfies Record<string, EventRow>

export type ServiceEventType = keyof typeof serviceEvents

type FieldsOf<Type extends ServiceEventType> = {
  readonly [Name in keyof (typeof serviceEvents)[Type]['fields']]: (typeof serviceEvents)[Type]['fields'][Name] extends 'id'
    ? string
    : number
}

export type ServiceEvent = { [Type in ServiceEventType]: { readonly type: Type } & FieldsOf<Type> }[ServiceEventType]

export const serviceEventTypes = Object.keys(serviceEvents) as ServiceEventType[] // Object.keys forgets the key type of a constant

export function isServiceEventType(name: string): name is ServiceEventType {
  return Object.hasOwn(serviceEvents, name)
}

type EventListener = (event: ServiceEvent) => void

/** Passes events on. Without a listener an event has no effect. */
export class ServiceEventSource {
  readonly #listeners = new Set<EventListener>()

  /** Reports an event. Within a transaction, webhooks get it if and only if the transaction is committed. */
  readonly emit: EventListener = (event) => {
    for (const listener of this.#listeners) listener(event)
  }

  /** Calls the listener with each later event. It must not throw. */
  onEvent(listener: EventListener): void {
    this.#listeners.add(listener)
  }
}

/** Returns the fields as they leave the server: `balance_usd` as decimal text, `expires` as RFC 3339. */
export function eventData(event: ServiceEvent): Readonly<Record<string, string | number>> {
  const fields: Readonly<Record<string, FieldKind>> = serviceEvents[event.type].fields
  const values: Readonly<Record<string, string | number>> = { ...event }
  const written = Object.entries(fields).map(([name, kind]) => wireForms[kind](name, values[name] ?? 0))
  return Object.fromEntries(written)
}

const wireForms: Readonly<Record<FieldKind, (name: string, value: string | number) => [string, string | number]>> = {
  id: (name, value) => [tomlKey(name), value],
  bytes: (name, value) => [tomlKey(name), value],
  'nano-usd': (name, value) => [tomlKey(name.replace('NanoUsd', 'Usd')), nanoToDecimal(Number(value))],
  time: (name, value) => [tomlKey(name.replace('Ms', '')), new Date(value).toISOString()],
}
