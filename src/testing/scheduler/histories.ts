/** Random histories of a scheduler's events, which shrink to short ones. */
import fc from 'fast-check'
import type { Again } from '../../scheduler/events.ts'
import { Scheduler } from '../../scheduler/scheduler.ts'
import { boxes, settingsOf } from './boxes.ts'
import { FaultyWorld } from './faulty-world.ts'

type Step =
  | {
      readonly type: 'request'
      readonly model: number
      readonly account: number
      readonly waitLimitMs: number
      readonly again: Again | undefined
    }
  | { readonly type: 'load' | 'unload' | 'pin' | 'unpin' | 'crash' | 'revise'; readonly model: number }
  | { readonly type: 'cancel' | 'clear'; readonly index: number }
  | { readonly type: 'grow'; readonly model: number; readonly gib: number; readonly isMeasured: boolean }
  | { readonly type: 'foreign'; readonly pool: number; readonly gib: number }
  | { readonly type: 'readable'; readonly pool: number; readonly isReadable: boolean }
  | { readonly type: 'advance' | 'jump'; readonly ms: number }
  | { readonly type: 'remove' }

export interface History {
  readonly box: number
  readonly seed: number
  readonly steps: readonly Step[]
  /** True if the server stops at the end. */
  readonly stops: boolean
}

const GiB = 1024 ** 3
const index = fc.nat(5)
const one = <Type extends string>(...types: Type[]) => fc.constantFrom(...types)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.record({
      type: one('request'),
      model: index,
      account: fc.nat(3),
      waitLimitMs: fc.constantFrom(0, 5_000, 60_000, 300_000, 1_000_000),
      again: fc.constantFrom(undefined, undefined, undefined, 'innocent', 'suspect'),
    }),
  },
  {
    weight: 50,
    arbitrary: fc.record({ type: one('advance'), ms: fc.constantFrom(0, 10, 300, 3_000, 20_000, 90_000) }),
  },
  { weight: 15, arbitrary: fc.record({ type: one('cancel', 'cancel', 'clear'), index: fc.nat(20) }) },
  {
    weight: 10,
    arbitrary: fc.record({ type: one('load', 'unload', 'unload', 'pin', 'unpin', 'crash', 'revise'), model: index }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ type: one('grow'), model: index, gib: fc.constantFrom(0.2, 3), isMeasured: fc.boolean() }),
  },
  { weight: 5, arbitrary: fc.record({ type: one('foreign'), pool: fc.nat(2), gib: fc.constantFrom(0, 2, 10, 22) }) },
  { weight: 5, arbitrary: fc.record({ type: one('readable'), pool: fc.nat(2), isReadable: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ type: one('jump'), ms: fc.constantFrom(3_600_000, -3_600_000, -5) }) },
  { weight: 1, arbitrary: fc.record({ type: one('remove') }) },
)

export const histories: fc.Arbitrary<History> = fc.record({
  box: fc.nat(boxes.length - 1),
  seed: fc.nat(),
  steps: fc.array(step, { maxLength: 60, size: 'max' }),
  stops: fc.boolean(),
})

/** Runs a history. Throws if an invariant does not hold. */
export function runHistory({ box: number, seed, steps, stops }: History): void {
  const box = boxes[number]
  if (box === undefined) return
  const world = new FaultyWorld(box, seed)
  for (const each of steps) take(world, each)
  world.beKind()
  if (stops) world.tell({ type: 'stop-all' })
  settle(world)
  if (stops && world.scheduler.models().some(({ state }) => state !== 'stopped' && state !== 'failed')) {
    throw new Error('stop-all: a process outlives the server')
  }
  requireSameEffects(world)
}

/**
 * Runs until all requests are answered, without further faults. The limit is 120 s plus the time of all loads and
 * drains, and of the aging after which a model is drained.
 */
function settle(world: FaultyWorld): void {
  const loadsMs = world.box.models.length * 30_000
  const untilMs = world.nowMs + 120_000 + loadsMs + 90_000 / 0.15
  while (world.invariants.waiting.size > 0) {
    if (world.nowMs > untilMs) throw new Error(`I9: ${[...world.invariants.waiting.keys()]} are not answered`)
    world.advance(1_000)
  }
  world.advance(20_000)
}

function requireSameEffects({ history }: FaultyWorld): void {
  const again = new Scheduler(1_000)
  for (const { event, armMs, effects } of history) {
    if (!Bun.deepEquals(again.handle(event, armMs), effects)) throw new Error('I10: the same events, other effects')
  }
}

function take(world: FaultyWorld, each: Step): void {
  const modelAt = (number: number) => world.box.models[number % world.box.models.length]?.id ?? ''
  const poolAt = (number: number) => world.box.pools[number % world.box.pools.length]?.id ?? ''
  switch (each.type) {
    case 'request':
      world.request(modelAt(each.model), `account ${each.account}`, each.waitLimitMs, each.again)
      break
    case 'load':
      world.load(modelAt(each.model), 300_000)
      break
    case 'unload':
      world.tell({ type: 'unload', model: modelAt(each.model) })
      break
    case 'pin':
    case 'unpin':
      world.tell({ type: 'configured', settings: pinned(world, modelAt(each.model), each.type === 'pin') })
      break
    case 'crash':
      world.crash(modelAt(each.model))
      break
    case 'revise':
      world.tell({ type: 'configured', settings: revised(world, modelAt(each.model)) })
      break
    case 'remove': {
      const { models, ...settings } = settingsOf(world.box)
      world.tell({ type: 'configured', settings: { ...settings, models: models.slice(1) } })
      break
    }
    case 'cancel':
      world.cancel(each.index)
      break
    case 'clear':
      world.clear(each.index)
      break
    case 'grow':
      world.grow(modelAt(each.model), each.gib * GiB, each.isMeasured)
      break
    case 'foreign':
      world.takeForeign(poolAt(each.pool), each.gib * GiB)
      break
    case 'readable':
      world.setReadable(poolAt(each.pool), each.isReadable)
      break
    case 'advance':
      world.advance(each.ms)
      break
    case 'jump':
      world.jump(each.ms)
      break
  }
}

/** Returns the settings with one model pinned or not. The others stay as they are. */
function pinned({ box, scheduler }: FaultyWorld, model: string, isPinned: boolean) {
  const { models, ...settings } = settingsOf(box)
  const before = new Set(scheduler.models().flatMap(({ id, pinned }) => (pinned ? [id] : [])))
  return {
    ...settings,
    models: models.map((each) => ({ ...each, pinned: each.id === model ? isPinned : before.has(each.id) })),
  }
}

function revised({ box, nowMs }: FaultyWorld, model: string) {
  const { models, ...settings } = settingsOf(box)
  return {
    ...settings,
    models: models.map((each) => (each.id === model ? { ...each, revision: String(nowMs) } : each)),
  }
}
