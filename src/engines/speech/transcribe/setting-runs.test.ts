import { expect, test } from 'bun:test'
import { type PartsRequest, WaitingParts } from '../../shared/waiting-parts.ts'
import type { RunSetting } from './recognizer-kinds.ts'
import { settingRuns } from './setting-runs.ts'

interface Chunk {
  readonly setting: RunSetting
  readonly samples: number
  readonly item: string
}

/** Chunks that wait for lanes, each from a separate recording. */
class Lanes {
  readonly #waiting = new WaitingParts<Chunk, PartsRequest<Chunk>>({ costOf: ({ samples }) => samples })
  readonly #batching: ReturnType<typeof settingRuns>
  #lanes: number
  #runs = 0
  #language = ''

  constructor(lanes: number, chunksTogether = 1) {
    this.#lanes = lanes
    this.#batching = settingRuns(() => chunksTogether)
  }

  setLanes(lanes: number): void {
    this.#lanes = lanes
  }

  add(accountId: string, samples: number, language: string, item: string, translates = false): () => void {
    const request = { accountId, waiting: [], passedOver: 0 }
    this.#waiting.add(request, [{ part: { setting: { language, translates }, samples, item }, index: 0 }])
    return () => this.#waiting.remove(request)
  }

  /** Returns the items of the next run, in order. */
  takeRun(): string[] {
    const now = { runs: this.#runs, lanes: this.#lanes, runningCost: 0 }
    const run = this.#waiting.take(this.#batching, now).map(({ part }) => part)
    if (run.length > 0) this.#runs++
    for (const { setting } of run) this.#language = setting.language
    return run.map(({ item }) => item)
  }

  take(): { readonly item: string; readonly newLanguage: string | undefined } | undefined {
    const before = this.#language
    const [item] = this.takeRun()
    return item === undefined
      ? undefined
      : { item, newLanguage: this.#language === before ? undefined : this.#language }
  }

  release(): void {
    this.#runs--
  }
}

/** Starts all that may start. Returns their names. */
function takeAll(queue: Lanes): string[] {
  const taken: string[] = []
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.item)
  return taken
}

function end(queue: Lanes, count: number): void {
  for (let ended = 0; ended < count; ended++) queue.release()
}

/** Ends the running chunks one after the other. Returns the order in which all start. */
function order(queue: Lanes): string[] {
  const begun = takeAll(queue)
  for (let running = begun.length; running > 0; running--) {
    queue.release()
    const more = takeAll(queue)
    begun.push(...more)
    running += more.length
  }
  return begun
}

test('as many begin as there are lanes', () => {
  const queue = new Lanes(2)
  for (const item of ['a', 'b', 'c', 'd']) queue.add('acc', 10, '', item)
  expect(takeAll(queue)).toEqual(['a', 'b'])
  queue.setLanes(1)
  end(queue, 1)
  expect(takeAll(queue)).toEqual([])
  end(queue, 1)
  expect(takeAll(queue)).toEqual(['c'])
})

test('an account with many chunks does not hold up another', () => {
  const queue = new Lanes(1)
  for (let chunk = 0; chunk < 5; chunk++) queue.add('acc_1', 10, '', `many ${chunk}`)
  for (let chunk = 0; chunk < 2; chunk++) queue.add('acc_2', 10, '', `few ${chunk}`)
  expect(order(queue).slice(0, 4).toSorted()).toEqual(['few 0', 'few 1', 'many 0', 'many 1'])
})

test('what was taken out does not begin', () => {
  const queue = new Lanes(1)
  const remove = queue.add('acc', 10, '', 'a')
  queue.add('acc', 10, '', 'b')
  remove()
  expect(order(queue)).toEqual(['b'])
})

test('another language waits for empty lanes, and its first chunk is alone', () => {
  const queue = new Lanes(2)
  queue.add('acc_1', 10, '', 'any')
  for (const item of ['de 1', 'de 2', 'de 3']) queue.add('acc_2', 10, 'de', item)
  expect(takeAll(queue)).toEqual(['any'])
  end(queue, 1)
  expect(queue.take()).toEqual({ item: 'de 1', newLanguage: 'de' })
  expect(queue.take()).toBeUndefined()
  end(queue, 1)
  expect(queue.take()).toEqual({ item: 'de 2', newLanguage: undefined })
  expect(queue.take()).toEqual({ item: 'de 3', newLanguage: undefined })
})

test('a translation waits for empty lanes like another language', () => {
  const queue = new Lanes(2)
  queue.add('acc_1', 10, '', 'text')
  expect(queue.takeRun()).toEqual(['text'])
  queue.add('acc_1', 10, '', 'English', true)
  expect(queue.takeRun()).toEqual([])
  end(queue, 1)
  expect(queue.takeRun()).toEqual(['English'])
})

test('finding out the language again is a change too', () => {
  const queue = new Lanes(2)
  queue.add('acc_1', 10, 'de', 'de')
  expect(queue.take()?.newLanguage).toBe('de')
  for (const item of ['any 1', 'any 2']) queue.add('acc_2', 10, '', item)
  end(queue, 1)
  expect(queue.take()).toEqual({ item: 'any 1', newLanguage: '' })
  expect(queue.take()).toBeUndefined()
})

test('a language whose turn has come is not held up by another', () => {
  const queue = new Lanes(2)
  for (let chunk = 0; chunk < 20; chunk++) queue.add('acc_1', 10, 'en', `en ${chunk}`)
  queue.add('acc_2', 10, 'de', 'de')
  expect(order(queue).indexOf('de')).toBeLessThan(4)
})

test('a chunk that waits for its language can be taken out', () => {
  const queue = new Lanes(2)
  queue.add('acc_1', 10, 'en', 'en')
  expect(takeAll(queue)).toEqual(['en'])
  end(queue, 1)
  queue.add('acc_1', 10, 'en', 'en 2')
  const remove = queue.add('acc_2', 10, 'de', 'de')
  expect(takeAll(queue)).toEqual(['en 2'])
  remove()
  queue.add('acc_1', 10, 'en', 'en 3')
  end(queue, 1)
  expect(takeAll(queue)).toEqual(['en 3'])
})

test('chunks of one language share a run, other ones wait, and the first after a change is alone', () => {
  const queue = new Lanes(2, 3)
  for (const item of ['en 1', 'en 2', 'en 3', 'en 4', 'en 5']) queue.add('acc_1', 10, 'en', item)
  expect(queue.takeRun()).toEqual(['en 1'])
  expect(queue.takeRun()).toEqual([])
  queue.release()
  queue.add('acc_2', 1, 'de', 'de')
  expect(queue.takeRun()).toEqual(['en 2'])
  expect(queue.takeRun()).toEqual([])
  queue.release()
  expect(queue.takeRun()).toEqual(['de'])
  queue.release()
  expect(queue.takeRun()).toEqual(['en 3'])
  queue.release()
  expect(queue.takeRun()).toEqual(['en 4', 'en 5'])
})
