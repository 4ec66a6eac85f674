/** Races between the ends of a request: the test plays the child and the meter. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ChatEvent } from '../../core/chat.ts'
import { type Consumption, nothingConsumed } from '../../core/usage.ts'
import type { WorkEvent } from '../../core/work.ts'
import { estimateOf, upTo } from '../../testing/grants.ts'
import type { Grant } from '../protocol/request-events.ts'
import { type EngineMeter, unlimited } from '../protocol/work-engines.ts'
import { OpenRequest } from './open-request.ts'

const start: ChatEvent = { type: 'start', promptTokens: 3, cachedTokens: 0 }
const text: ChatEvent = { type: 'text-delta', choice: 0, text: 'a' }
const usage: Consumption = { ...nothingConsumed, promptTokens: 3, completionTokens: 1 }
const finish: ChatEvent = { type: 'finish', usage }
const partUsage: Consumption = { ...usage, promptTokens: 2, completionTokens: 0 }
const grant: Grant = upTo(10)
const left = new Error('client left')

/** An engine that records its calls. */
const noting = (sent: string[]) => ({ grant: () => void sent.push('grant'), cancel: () => void sent.push('cancel') })

/** Opens a request whose meter answers when the test lets it. */
function openRequest() {
  const sent: ('grant' | 'cancel')[] = []
  const told: Consumption[] = []
  const answers: PromiseWithResolvers<Grant>[] = []
  const ask = () => {
    const answer = Promise.withResolvers<Grant>()
    answers.push(answer)
    return answer.promise
  }
  const meter: EngineMeter = { begin: ask, extend: ask, cancelled: (usage) => told.push(usage) }
  const abort = new AbortController()
  const request = new OpenRequest({ id: 1, meter, engine: noting(sent) })
  const events = request.events(abort.signal)
  const answer = async (granted: Grant | Error) => {
    const asked = answers.shift()
    if (granted instanceof Error) asked?.reject(granted)
    else asked?.resolve(granted)
    await turn()
  }
  return {
    request,
    events,
    sent,
    told,
    answers,
    answer,
    prepared: () => request.receive({ id: 1, prepared: estimateOf(3, 100) }),
    wantsGrant: () => request.receive({ id: 1, wantsGrant: true }),
    event: (event: ChatEvent) => request.receive({ id: 1, event }),
    cancelled: () => request.receive({ id: 1, cancelled: partUsage }),
    leave: () => abort.abort(left),
  }
}

/** Waits until all possible steps are done. */
const turn = () => new Promise(setImmediate)

/** Watches a promise. Its outcome is `pending` until it settles. */
function watch(promise: Promise<unknown>) {
  const watched: { outcome: unknown } = { outcome: 'pending' }
  promise.then(
    (value) => {
      watched.outcome = value
    },
    (error: unknown) => {
      watched.outcome = error
    },
  )
  return watched
}

test('is computed when its meter has said how far', async () => {
  const { events, sent, told, answer, prepared, wantsGrant, event } = openRequest()
  const all = Array.fromAsync(events)
  prepared()
  expect(sent).toEqual([])
  await answer(grant)
  expect(sent).toEqual(['grant'])
  event(start)
  wantsGrant()
  await answer(grant)
  expect(sent).toEqual(['grant', 'grant'])
  event(finish)
  expect(await all).toEqual([start, finish])
  expect([sent.length, told]).toEqual([2, []])
})

test('the engine pauses while the client leaves too much unread, and goes on when it has read half of it', async () => {
  const sent: unknown[] = []
  const pause = (id: number, isPaused: boolean) => sent.push({ id, isPaused })
  const engine = { ...noting([]), pause }
  const request = new OpenRequest<WorkEvent<'speak'>>({ id: 1, meter: unlimited, engine })
  const audio = { type: 'audio', bytes: new Uint8Array(400_000) } as const
  const events = request.events(new AbortController().signal)
  for (const event of [start, audio, audio]) request.receive({ id: 1, event })
  await events.next()
  expect(sent).toEqual([])
  request.receive({ id: 1, event: audio })
  expect(sent).toEqual([{ id: 1, isPaused: true }])
  // An event counts as read when the next one is requested.
  for (let asked = 0; asked < 2; asked++) await events.next()
  request.receive({ id: 1, event: audio })
  expect(sent).toHaveLength(1)
  await events.next()
  expect(sent).toHaveLength(1)
  await events.next()
  expect(sent.slice(1)).toEqual([{ id: 1, isPaused: false }])
  request.receive({ id: 1, event: finish })
  await Array.fromAsync(events)
  expect(sent).toHaveLength(2)
})

test('events that came before a failure come first, in order', async () => {
  const { request, events, event } = openRequest()
  event(start)
  const first = events.next()
  event(text)
  event({ ...text, text: 'b' })
  request.fail('broken')
  request.fail('late')
  expect((await first).value).toEqual(start)
  expect([(await events.next()).value, (await events.next()).value]).toEqual([text, { ...text, text: 'b' }])
  expect(await events.next().catch((error: unknown) => error)).toBe('broken')
})

test('a failure after the end changes nothing', async () => {
  const { request, events, event } = openRequest()
  event(start)
  event(finish)
  request.fail('late')
  expect(await Array.fromAsync(events)).toEqual([start, finish])
})

describe('given up', () => {
  test('before it is prepared: the engine hears it at once, the meter nothing', async () => {
    const { events, sent, told, answers, prepared, cancelled, leave } = openRequest()
    const ended = watch(events.next())
    leave()
    expect(sent).toEqual(['cancel'])
    prepared()
    await turn()
    expect([answers, ended.outcome]).toEqual([[], 'pending'])
    cancelled()
    await turn()
    expect([ended.outcome, told]).toEqual([left, []])
  })

  test('while the meter is asked to begin: the grant is not sent, and its end is waited for', async () => {
    const { events, sent, told, answer, prepared, cancelled, leave } = openRequest()
    const ended = watch(events.next())
    prepared()
    leave()
    cancelled()
    await turn()
    expect([ended.outcome, told]).toEqual(['pending', []])
    await answer(grant)
    expect([ended.outcome, told, sent]).toEqual([left, [partUsage], ['cancel']])
  })

  test('while a begin is pending that then refuses: there is nothing to tell', async () => {
    const { events, told, answer, prepared, cancelled, leave } = openRequest()
    const ended = watch(events.next())
    prepared()
    leave()
    cancelled()
    await answer(new Error('no money'))
    expect([ended.outcome, told]).toEqual([left, []])
  })

  test('while the meter is asked for more: both ends are waited for, whichever comes first', async () => {
    for (const first of ['engine', 'meter']) {
      const { events, sent, told, answer, prepared, wantsGrant, event, cancelled, leave } = openRequest()
      prepared()
      const begun = events.next()
      await answer(grant)
      event(start)
      await begun
      wantsGrant()
      leave()
      event(text) // was already under way
      const ended = watch(events.next())
      if (first === 'engine') cancelled()
      else await answer(grant)
      await turn()
      expect(ended.outcome).toBe('pending')
      if (first === 'engine') await answer(grant)
      else cancelled()
      await turn()
      expect([ended.outcome, told, sent]).toEqual([left, [partUsage], ['grant', 'cancel']])
    }
  })

  test('of an engine that could not count: the meter hears that it was estimated', async () => {
    const heard: unknown[] = []
    const meter = {
      ...unlimited,
      cancelled: (used: Consumption, isEstimated: boolean) => heard.push([used, isEstimated]),
    }
    for (const end of [
      { cancelled: partUsage, isEstimated: true },
      { event: { type: 'finish', usage, isEstimated: true } },
      { cancelled: partUsage },
    ] as const) {
      const request = new OpenRequest({ id: 1, meter, engine: noting([]) })
      const abort = new AbortController()
      const ended = watch(request.events(abort.signal).next())
      request.receive({ id: 1, prepared: estimateOf(3, 100) })
      await turn()
      abort.abort(left)
      request.receive({ id: 1, ...end })
      await turn()
      expect(ended.outcome).toBe(left)
    }
    expect(heard).toEqual([
      [partUsage, true],
      [usage, true],
      [partUsage, false],
    ])
  })

  test('by `return`: ends when the engine has stopped', async () => {
    const { events, sent, told, answer, prepared, event, cancelled } = openRequest()
    const begun = events.next()
    prepared()
    await answer(grant)
    event(start)
    await begun
    const ended = watch(events.return(undefined))
    await turn()
    expect([sent.at(-1), ended.outcome]).toEqual(['cancel', 'pending'])
    event(text) // was already under way
    cancelled()
    await turn()
    expect([ended.outcome, told]).toEqual([{ done: true, value: undefined }, [partUsage]])
  })

  test('in the moment in which it ended: what it used is told all the same', async () => {
    for (const way of ['signal', 'return']) {
      const { events, sent, told, answer, prepared, event, leave } = openRequest()
      const begun = events.next()
      prepared()
      await answer(grant)
      event(start)
      await begun
      if (way === 'signal') leave()
      const ended = watch(way === 'signal' ? events.next() : events.return(undefined))
      await turn()
      event(finish)
      await turn()
      expect(ended.outcome).toEqual(way === 'signal' ? left : { done: true, value: undefined })
      expect([sent, told]).toEqual([['grant', 'cancel'], [usage]])
    }
  })

  test('with its end unread: nothing is left to cancel', async () => {
    const { request, events, sent, told, answer, prepared, event } = openRequest()
    const begun = events.next()
    prepared()
    await answer(grant)
    event(start)
    event(finish)
    await begun
    request.fail(new Error('it died')) // too late: the answer is complete
    await events.return(undefined)
    expect([sent, told]).toEqual([['grant'], [usage]])
  })

  test('by its signal when the end is there already: it ends as if nothing had been', async () => {
    const { events, sent, told, answer, prepared, event, leave } = openRequest()
    const begun = events.next()
    prepared()
    await answer(grant)
    event(start)
    event(finish)
    leave()
    await begun
    expect((await events.next()).value).toEqual(finish)
    expect((await events.next()).done).toBe(true)
    expect([sent, told]).toEqual([['grant'], []])
  })

  test('after its last event: that has told what there is', async () => {
    const { events, sent, told, answer, prepared, event } = openRequest()
    const begun = events.next()
    prepared()
    await answer(grant)
    event(finish)
    expect((await begun).value).toEqual(finish)
    await events.return(undefined)
    expect([sent, told]).toEqual([['grant'], []])
  })

  test('and the child dies before it answers: nothing is told', async () => {
    const { request, events, told, answer, prepared, event, leave } = openRequest()
    const begun = events.next()
    prepared()
    await answer(grant)
    event(start)
    await begun
    leave()
    const ended = watch(events.next())
    request.fail(new Error('it died'))
    await turn()
    expect([ended.outcome, told]).toEqual([left, []])
  })

  test('and the engine fails it in that moment: nothing is told', async () => {
    const { request, events, told, answer, prepared, event, leave } = openRequest()
    const begun = events.next()
    prepared()
    await answer(grant)
    event(start)
    await begun
    leave()
    request.receive({ id: 1, error: { kind: 'engine', code: 'engine_failed', message: 'broken' } })
    expect(await events.next().catch((error: unknown) => error)).toBe(left)
    expect(told).toEqual([])
  })
})

describe('a meter that throws', () => {
  test('at the beginning refuses the request: the engine drops it', async () => {
    const { events, sent, told, answer, prepared, cancelled } = openRequest()
    const refusal = new Error('no money')
    const ended = watch(events.next())
    prepared()
    await answer(refusal)
    expect([sent, ended.outcome]).toEqual([['cancel'], 'pending'])
    cancelled()
    await turn()
    expect([ended.outcome, told]).toEqual([refusal, []])
  })

  test('later ends it, and hears what was computed', async () => {
    const { events, sent, told, answer, prepared, wantsGrant, event, cancelled } = openRequest()
    const begun = events.next()
    prepared()
    await answer(grant)
    event(start)
    await begun
    const failure = new Error('no disk')
    const ended = watch(events.next())
    wantsGrant()
    await answer(failure)
    cancelled()
    await turn()
    expect([ended.outcome, told, sent]).toEqual([failure, [partUsage], ['grant', 'cancel']])
  })

  test('when the answer has ended meanwhile is not heard', async () => {
    const { events, sent, told, answer, prepared, wantsGrant, event } = openRequest()
    const all = Array.fromAsync(events)
    prepared()
    await answer(grant)
    event(start)
    wantsGrant()
    event(finish)
    await answer(new Error('no disk'))
    expect(await all).toEqual([start, finish])
    expect([sent, told]).toEqual([['grant'], []])
  })

  test('in the middle of its call does so too', async () => {
    const meter: EngineMeter = {
      begin: () => {
        throw left
      },
      extend: () => Promise.reject(left),
      cancelled: () => undefined,
    }
    const sent: ('grant' | 'cancel')[] = []
    const request = new OpenRequest({ id: 1, meter, engine: noting(sent) })
    const ended = watch(request.events(new AbortController().signal).next())
    request.receive({ id: 1, prepared: estimateOf(1, 1) })
    await turn()
    request.receive({ id: 1, cancelled: partUsage })
    await turn()
    expect([sent, ended.outcome]).toEqual([['cancel'], left])
  })
})

test('the last event waits for a grant that is still being paid for', async () => {
  const { events, answer, prepared, wantsGrant, event } = openRequest()
  const begun = events.next()
  prepared()
  await answer(grant)
  event(start)
  await begun
  const last = watch(events.next())
  wantsGrant()
  event(finish)
  await turn()
  expect(last.outcome).toBe('pending')
  await answer(grant)
  expect(last.outcome).toEqual({ done: false, value: finish })
})

/**
 * An engine that keeps to the protocol, a meter and a consumer act in random order. The request must end, and its
 * usage must be reported exactly once: by the last event or to the meter.
 */
test('whatever meets whatever, it ends and what was computed is told once', async () => {
  const moves = fc.array(fc.constantFrom('engine', 'meter', 'refuse', 'read', 'return', 'leave', 'die'), {
    minLength: 40,
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(moves, async (order) => {
      const { request, events, sent, told, answers, answer, ...child } = openRequest()
      const script = [child.prepared, () => child.event(start), child.wantsGrant, () => child.event(text)]
      let step = 0
      let begun = false
      let engineEnd: 'finish' | 'cancelled' | 'died' | undefined
      const engine = () => {
        if (engineEnd !== undefined) return
        if (sent.includes('cancel')) {
          engineEnd = 'cancelled'
          child.cancelled()
        } else if (step < script.length) {
          // The engine computes no further than its grants.
          const grants = sent.filter((type) => type === 'grant').length
          if (step > 0 && grants === 0) return
          script[step++]?.()
        } else {
          engineEnd = 'finish'
          child.event(finish)
        }
      }
      const read: ReturnType<typeof watch>[] = []
      const isOver = () => read.some(({ outcome }) => outcome instanceof Error || isDone(outcome))
      for (const move of [...order, ...Array<string>(12).fill('settle')]) {
        if (move === 'engine' || move === 'settle') engine()
        if ((move === 'meter' || move === 'settle') && answers.length > 0) {
          await answer(grant)
          begun = true
        }
        if (move === 'refuse') await answer(new Error('no money'))
        if ((move === 'read' || move === 'settle') && read.every(({ outcome }) => outcome !== 'pending'))
          read.push(watch(events.next()))
        if (move === 'return' && read.length > 0 && read.every(({ outcome }) => outcome !== 'pending'))
          read.push(watch(events.return(undefined)))
        if (move === 'leave') child.leave()
        if (move === 'die' && engineEnd === undefined) {
          engineEnd = 'died'
          request.fail(new Error('it died'))
        }
        await turn()
      }
      expect(isOver()).toBe(true)
      const seen = read.filter(({ outcome }) => isFinish(outcome)).length
      const known = begun && engineEnd !== 'died' ? 1 : 0
      expect(seen + told.length).toBe(known)
      expect(sent.filter((type) => type === 'cancel').length).toBeLessThanOrEqual(1)
      if (told.length > 0) expect(told).toEqual([engineEnd === 'finish' ? usage : partUsage])
    }),
    { numRuns: 300 },
  )
})

function isDone(outcome: unknown): boolean {
  return typeof outcome === 'object' && outcome !== null && Reflect.get(outcome, 'done') === true
}

function isFinish(outcome: unknown): boolean {
  return typeof outcome === 'object' && outcome !== null && Reflect.get(outcome, 'value') === finish
}
